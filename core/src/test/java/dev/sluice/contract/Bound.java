package dev.sluice.contract;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limit.Alignment;
import dev.sluice.Outcome;
import dev.sluice.model.CalendarWindow;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/** Laws 1 and 8: what each algorithm promises over every interval, counted from what was really given out. */
public final class Bound {
    private Bound() {}

    /** 1. The bound holds over every interval; a log moreover denies nothing that the bound would allow. */
    static void holds(Lab lab) {
        Execution execution = lab.after(0);
        long latest = Long.MIN_VALUE;
        long longestMemory = lab.limits().stream()
                .mapToLong(limit -> Rhythm.of(limit).memoryMicros())
                .max()
                .orElseThrow();
        for (int i = 0; i < lab.steps().size(); i++) {
            Step step = lab.steps().get(i);
            Answer answer = execution.perform(step);
            latest = Math.max(latest, execution.now());
            List<Grant> grants = execution.grants().stream()
                    .filter(grant -> grant.key.equals(step.key()))
                    .toList();
            for (Limit limit : lab.limits()) {
                check(limit, grants);
            }
            // What had left the log when it was given back is there again when the clock steps back.
            boolean certain = execution.now() == latest || grants.stream().noneMatch(g -> g.refunded > 0);
            if (certain
                    && answer.outcome() == Outcome.DENIED
                    && step.call() == Step.Call.DECIDE
                    && step.percent() == 100) {
                if (lab.limits().size() == 1 && lab.limits().get(0) instanceof Limit.SlidingLog log) {
                    exact(log, grants, step, execution.now());
                }
            }
            if (answer.denied() && answer.retryAfter() != Decision.NEVER_MICROS) {
                long lock = latest - execution.now() + longestMemory;
                LawBroken.unless(
                        answer.retryAfter() <= lock, "step %d is locked for longer than %d: %s", i, lock, answer);
            }
        }
    }

    /** The bound of one limit over what one key was given, in order. */
    public static void check(Limit limit, List<Grant> grants) {
        boolean refunds = grants.stream().anyMatch(g -> g.refunded > 0);
        List<Grant> kept = new ArrayList<>();
        long[] times = new long[grants.size()];
        long latest = Long.MIN_VALUE;
        boolean stepsBack = false;
        for (Grant grant : grants) {
            stepsBack |= grant.atMicros < latest;
            // A clock that steps back is one that stands still, also after what was given back since.
            latest = Math.max(latest, grant.atMicros);
            if (grant.kept() > 0) {
                times[kept.size()] = latest;
                kept.add(grant);
            }
        }
        limit.accept(new Checks(grants, kept, times, refunds, stepsBack)).run();
    }

    /** The check of each algorithm's bound. */
    private static final class Checks implements Limit.Cases<Runnable> {
        private final List<Grant> all;
        private final List<Grant> kept;
        private final long[] times;
        private final boolean refunds;
        private final boolean stepsBack;

        Checks(List<Grant> all, List<Grant> kept, long[] times, boolean refunds, boolean stepsBack) {
            this.all = all;
            this.kept = kept;
            this.times = times;
            this.refunds = refunds;
            this.stepsBack = stepsBack;
        }

        @Override
        public Runnable fixedWindow(Limit.FixedWindow limit) {
            return () -> {
                // A window that was given back whole is forgotten, and with it how late it was.
                if (!refunds || !stepsBack) {
                    Bound.fixedWindow(limit, kept, times, refunds);
                }
            };
        }

        @Override
        public Runnable slidingWindow(Limit.SlidingWindow limit) {
            boolean strict = limit.counting() == Limit.SlidingWindow.Counting.STRICT;
            return () -> inAnyPeriod(limit, Rhythm.micros(limit.period()), strict ? 1 : 2, kept, times);
        }

        @Override
        public Runnable slidingLog(Limit.SlidingLog limit) {
            return () -> inAnyPeriod(limit, Rhythm.micros(limit.period()), 1, kept, times);
        }

        @Override
        public Runnable tokenBucket(Limit.TokenBucket limit) {
            return () -> burstAndRate(limit, limit.permits(), Rhythm.micros(limit.period()), kept, times);
        }

        @Override
        public Runnable leakyBucket(Limit.LeakyBucket limit) {
            return () -> {
                burstAndRate(limit, limit.permits(), Rhythm.micros(limit.period()), kept, times);
                if (limit.delays()) {
                    spaced(limit, kept, times);
                    soon(limit, kept, times);
                }
            };
        }

        @Override
        public Runnable concurrency(Limit.Concurrency limit) {
            return () -> {
                long held = all.stream()
                        .filter(Grant::open)
                        .mapToLong(g -> g.permits)
                        .sum();
                LawBroken.unless(held <= limit.capacity(), "%d held of %s", held, limit);
            };
        }
    }

    private static void fixedWindow(Limit.FixedWindow limit, List<Grant> grants, long[] times, boolean refunds) {
        long period = Rhythm.micros(limit.period());
        if (limit.alignment() instanceof Alignment.Epoch) {
            inEachWindow(limit, grants, times, at -> Math.floorDiv(at, period));
        } else if (limit.alignment() instanceof Alignment.Calendar calendar) {
            inEachWindow(limit, grants, times, at -> CalendarWindow.at(at, calendar));
        } else {
            inAnyPeriod(limit, period, 2, grants, times);
            if (!refunds) {
                inEachWindow(limit, grants, times, new WindowsByRequest(period));
            }
        }
    }

    /** Names a window by the request that opened it; asked in the order of time. */
    private static final class WindowsByRequest implements LongFunction<Object> {
        private final long periodMicros;
        private final List<Long> starts = new ArrayList<>();

        WindowsByRequest(long periodMicros) {
            this.periodMicros = periodMicros;
        }

        @Override
        public Object apply(long at) {
            if (starts.isEmpty() || at >= starts.get(starts.size() - 1) + periodMicros) {
                starts.add(at);
            }
            return starts.size();
        }
    }

    private static void inEachWindow(Limit limit, List<Grant> grants, long[] times, LongFunction<Object> window) {
        Map<Object, Long> sums = new HashMap<>();
        for (int i = 0; i < grants.size(); i++) {
            Object name = window.apply(times[i]);
            long sum = sums.merge(name, grants.get(i).kept(), Long::sum);
            LawBroken.unless(sum <= limit.capacity(), "%d in window %s of %s", sum, name, limit);
        }
    }

    private static void inAnyPeriod(Limit limit, long period, int times, List<Grant> grants, long[] at) {
        for (int last = 0; last < grants.size(); last++) {
            long sum = 0;
            for (int i = last; i >= 0 && at[i] > at[last] - period; i--) {
                sum += grants.get(i).kept();
            }
            LawBroken.unless(
                    sum <= times * limit.capacity(), "%d within a period up to %d of %s", sum, at[last], limit);
        }
    }

    /** No more than the bucket and what flows in meanwhile, from any grant to any other. */
    private static void burstAndRate(Limit limit, long permits, long period, List<Grant> grants, long[] at) {
        BigInteger bucket = BigInteger.valueOf(limit.capacity()).multiply(BigInteger.valueOf(period));
        for (int last = 0; last < grants.size(); last++) {
            long sum = 0;
            for (int i = last; i >= 0; i--) {
                sum += grants.get(i).kept();
                BigInteger flow = BigInteger.valueOf(permits).multiply(BigInteger.valueOf(at[last] - at[i]));
                BigInteger taken = BigInteger.valueOf(sum).multiply(BigInteger.valueOf(period));
                LawBroken.unless(
                        taken.compareTo(bucket.add(flow)) <= 0, "%d from %d to %d of %s", sum, at[i], at[last], limit);
            }
        }
    }

    /** Work leaves a queue at its rate: each start is as long after the last as that one weighs, to the microsecond. */
    private static void spaced(Limit.LeakyBucket limit, List<Grant> grants, long[] times) {
        long period = Rhythm.micros(limit.period());
        for (int i = 1; i < grants.size(); i++) {
            Grant before = grants.get(i - 1);
            long gap = start(grants.get(i), times[i]) - start(before, times[i - 1]);
            LawBroken.unless(
                    (gap + 1) * limit.permits() > before.kept() * period,
                    "work of %d starts only %d before the next on %s",
                    before.kept(),
                    gap,
                    limit);
        }
    }

    /** When work starts, on a clock that stands still where it stepped back. */
    private static long start(Grant grant, long at) {
        return Math.max(grant.startMicros, at);
    }

    /** Nobody waits in a queue for longer than a full bucket takes to leak. */
    private static void soon(Limit.LeakyBucket limit, List<Grant> grants, long[] times) {
        long longest = Rhythm.of(limit).memoryMicros();
        for (int i = 0; i < grants.size(); i++) {
            long wait = start(grants.get(i), times[i]) - times[i];
            LawBroken.unless(wait <= longest, "a wait of %d, longer than %d, on %s", wait, longest, limit);
        }
    }

    /** A log denies nothing that fits beside what it gave out within one period. */
    private static void exact(Limit.SlidingLog log, List<Grant> grants, Step step, long now) {
        long since = grants.stream().mapToLong(g -> g.atMicros).reduce(now, Math::max) - Rhythm.micros(log.period());
        long sum = 0;
        long latest = Long.MIN_VALUE;
        for (Grant grant : grants) {
            latest = Math.max(latest, grant.atMicros);
            sum += latest > since ? grant.kept() : 0;
        }
        LawBroken.unless(sum + step.permits() > log.permits(), "%s is denied on %d of %s", step, sum, log);
    }
}
