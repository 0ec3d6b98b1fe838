package dev.sluice.redis.script;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.spi.LimitChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The script of one limit, the names of its state and its arguments.
 *
 * @param script the name of the script file
 * @param numbers the script's arguments, in the order of its {@code @numbers} line
 * @param identity the last part of the name of its state
 * @param earlier the limits before it whose counts it continues under another name, the last one first
 * @param returns whether it had this name before one of those
 */
record ScriptArguments(
        Limit limit, String script, List<Long> numbers, String identity, List<Earlier> earlier, boolean returns) {
    /**
     * A limit that this process had.
     *
     * @param identity the last part of the name of its state
     * @param leftAtNanos when another took its place
     */
    record Earlier(String identity, long leftAtNanos) {}

    /** More changes of the period within one period are not followed. */
    private static final int MAX_EARLIER = 4;

    private static final String BUCKET = "token-bucket";

    private static final long AT_FIRST_REQUEST = 0;
    private static final long AT_MULTIPLES = 1;
    private static final long AT_CALENDAR_UNIT = 2;
    /** The largest sliding log: to take all its permits at once, or to let it grow, takes Redis about a millisecond. */
    private static final long MAX_LOG = 1 << 16;

    private static final long MICROS_OF_A_DECISION = 3;
    private static final long SLICES_IN_A_MICRO = 10;
    private static final long LOG_PERMITS_IN_A_MICRO = 64;

    /** The arguments of these limits when the server's time is {@code serverMicros}. */
    static List<ScriptArguments> of(List<Limit> limits, long serverMicros, long leaseMicros) {
        Registry registry = new Registry(serverMicros, leaseMicros);
        List<String> identities = LimitIdentity.of(limits);
        List<ScriptArguments> arguments = new ArrayList<>(limits.size());
        for (int i = 0; i < limits.size(); i++) {
            arguments.add(limits.get(i).accept(registry).withNames(identities.get(i), List.of(), false));
        }
        return arguments;
    }

    /** Arguments that continue the counts of others, where those have states of the same kind. */
    static List<ScriptArguments> after(List<ScriptArguments> old, List<ScriptArguments> next, long nowNanos) {
        List<Optional<Integer>> continued = LimitChange.continued(
                old.stream().map(ScriptArguments::limit).toList(),
                next.stream().map(ScriptArguments::limit).toList());
        List<String> kept = old.stream().map(ScriptArguments::identity).toList();
        List<ScriptArguments> all = new ArrayList<>(next.size());
        for (int i = 0; i < next.size(); i++) {
            ScriptArguments own = next.get(i);
            all.add(continued
                    .get(i)
                    .map(old::get)
                    .filter(before -> before.script.equals(own.script))
                    .map(before -> own.after(before, kept, nowNanos))
                    .orElse(own));
        }
        return all;
    }

    private ScriptArguments after(ScriptArguments before, List<String> kept, long nowNanos) {
        if (identity.equals(before.identity)) {
            return withNames(identity, before.earlier, before.returns);
        }
        if (kept.contains(identity)) {
            return this; // the state of another limit, which counts on
        }
        List<Earlier> all = new ArrayList<>(List.of(new Earlier(before.identity, nowNanos)));
        all.addAll(before.earlier);
        boolean returns = all.removeIf(each -> each.identity.equals(identity));
        return withNames(identity, all.subList(0, Math.min(all.size(), MAX_EARLIER)), returns);
    }

    /** The same arguments for a state of these names. */
    ScriptArguments withNames(String identity, List<Earlier> earlier, boolean returns) {
        return new ScriptArguments(
                limit, script, numbers, identity, List.copyOf(earlier), returns && !earlier.isEmpty());
    }

    /** Whether it continues a limit of which nothing would count any more: it was left a period ago. */
    boolean continuesOver(long nowNanos) {
        return earlier.stream().anyMatch(each -> isOver(each, nowNanos));
    }

    /** The same arguments without the limits of which nothing would count any more. */
    ScriptArguments withoutOver(long nowNanos) {
        return withNames(
                identity,
                earlier.stream().filter(each -> !isOver(each, nowNanos)).toList(),
                returns);
    }

    private boolean isOver(Earlier each, long nowNanos) {
        Duration period = limit.period();
        return period == null || nowNanos - each.leftAtNanos >= TimeUnit.NANOSECONDS.convert(period);
    }

    /** The most permits that may be in use after a request that may use {@code percent} of the limit. */
    long room(int percent) {
        return limit.capacity() * percent / 100;
    }

    /** The rate of a bucket; null for any other limit. */
    @Nullable
    BucketRate bucketRate() {
        return script.equals(BUCKET) ? new BucketRate(numbers.get(0), numbers.get(1)) : null;
    }

    /** About how many microseconds a request for so many permits keeps Redis busy. */
    long cost(long permits) {
        return MICROS_OF_A_DECISION
                + (limit instanceof Limit.SlidingWindow window ? window.slices() / SLICES_IN_A_MICRO : 0)
                + (limit instanceof Limit.SlidingLog ? permits / LOG_PERMITS_IN_A_MICRO : 0);
    }

    /** The script of each algorithm, and its numbers. */
    private record Registry(long serverMicros, long leaseMicros) implements Limit.Cases<ScriptArguments> {
        @Override
        public ScriptArguments fixedWindow(Limit.FixedWindow limit) {
            long period = micros(limit.period());
            List<Long> numbers;
            if (limit.alignment() instanceof Limit.Alignment.Calendar calendar) {
                numbers = List.of(
                        period, AT_CALENDAR_UNIT, calendar.startMicros(serverMicros), calendar.endMicros(serverMicros));
            } else {
                boolean aligned = limit.alignment() instanceof Limit.Alignment.Epoch;
                numbers = List.of(period, aligned ? AT_MULTIPLES : AT_FIRST_REQUEST, 0L, 0L);
            }
            return arguments(limit, "fixed-window", numbers);
        }

        @Override
        public ScriptArguments slidingWindow(Limit.SlidingWindow limit) {
            long slices = limit.slices();
            long weighted = limit.counting() == Limit.SlidingWindow.Counting.WEIGHTED ? 1 : 0;
            return arguments(limit, "sliding-window", List.of(micros(limit.period()) / slices, slices, weighted));
        }

        @Override
        public ScriptArguments slidingLog(Limit.SlidingLog limit) {
            if (limit.permits() > MAX_LOG) {
                throw new IllegalArgumentException("a sliding log on Redis has at most " + MAX_LOG + " permits, was "
                        + limit + ": a longer one would keep Redis busy for more than a millisecond; use a sliding"
                        + " window, such as " + limit.permits() + " per " + Durations.text(limit.period()));
            }
            return arguments(limit, "sliding-log", List.of(micros(limit.period()), limit.capacity()));
        }

        @Override
        public ScriptArguments tokenBucket(Limit.TokenBucket limit) {
            return bucket(limit, limit.permits(), micros(limit.period()));
        }

        @Override
        public ScriptArguments leakyBucket(Limit.LeakyBucket limit) {
            return bucket(limit, limit.permits(), micros(limit.period()));
        }

        @Override
        public ScriptArguments concurrency(Limit.Concurrency limit) {
            return arguments(limit, "concurrency", List.of(leaseMicros));
        }

        private static ScriptArguments bucket(Limit limit, long permits, long periodMicros) {
            long factor = greatestCommonFactor(permits, periodMicros);
            BucketRate rate = new BucketRate(periodMicros / factor, permits / factor);
            return arguments(limit, BUCKET, List.of(rate.weight(), rate.speed(), rate.tag(limit.delays())));
        }

        private static ScriptArguments arguments(Limit limit, String script, List<Long> numbers) {
            return new ScriptArguments(limit, script, numbers, "", List.of(), false);
        }
    }

    private static long greatestCommonFactor(long a, long b) {
        return b == 0 ? a : greatestCommonFactor(b, a % b);
    }

    private static long micros(Duration period) {
        return TimeUnit.MICROSECONDS.convert(period);
    }
}
