package dev.sluice.contract;

import dev.sluice.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes up traces that aim at the places where a limiter can go wrong. */
final class TraceWriter {
    private static final long FAR_AWAY = 4_000_000_000_000_000L;
    /**
     * How far several keys may step back from the latest time they saw: a limiter that drops idle keys need not know
     * what was before that. The one key is never dropped, so that its clock may step back to anywhere.
     */
    private static final long PATIENCE_MICROS = 1_000_000;

    private static final String[] KEYS = {"a", "a", "a", "a", "a", "b", ""};
    private static final int[] PERCENTS = {1, 50, 80, 99};

    private final Random random;
    private final List<Limit> limits;
    private final List<Rhythm> rhythms;
    private final Manner manner;
    private final List<Long> times = new ArrayList<>();
    private long now;
    private long latest;

    private TraceWriter(Random random, List<Limit> limits, Manner manner, long now) {
        this.random = random;
        this.limits = limits;
        this.rhythms = limits.stream().map(Rhythm::of).toList();
        this.manner = manner;
        this.now = now;
        this.latest = now;
    }

    /** What a trace may hold besides requests on a clock that goes forward. */
    record Manner(
            boolean stepsBack,
            boolean givesBack,
            boolean holdsPermits,
            boolean shares,
            boolean oneKey,
            boolean resets) {
        static Manner random(Random random, LimitFamily family) {
            int manner = random.nextInt(3);
            return new Manner(
                    manner == 0,
                    manner == 1,
                    family.holdsPermits(),
                    random.nextInt(4) == 0,
                    random.nextBoolean(),
                    false);
        }

        Manner stepsBack(boolean steps) {
            return new Manner(steps, givesBack, holdsPermits, shares, oneKey, resets);
        }

        Manner givesBack(boolean gives) {
            return new Manner(stepsBack, gives, holdsPermits, shares, oneKey, resets);
        }

        /** The same, and refunds where the clock steps back too; where it does not, keys are reset. */
        Manner givesBackAndResets() {
            return new Manner(stepsBack, givesBack || stepsBack, holdsPermits, shares, oneKey, !stepsBack);
        }

        /**
         * What these limits can follow: a window that was refunded whole is forgotten, and with it how late it was, so
         * that its traces step back or refund.
         */
        private Manner of(List<Limit> limits, Random random) {
            boolean windows = limits.stream().anyMatch(Limit.FixedWindow.class::isInstance);
            if (!windows || !stepsBack || !givesBack) {
                return this;
            }
            return random.nextBoolean() ? stepsBack(false) : givesBack(false);
        }
    }

    static Trace write(long seed, LimitFamily family, Manner manner) {
        Random random = new Random(seed);
        List<Limit> limits = family.random(random);
        long period = Rhythm.of(limits.get(0)).periodMicros();
        long start = switch (random.nextInt(5)) {
            case 0 -> 0;
            case 1 -> -3 * period - random.nextInt(10);
            case 2 -> -1_000_000_000_000_000L + random.nextInt(1_000_000);
            default -> 1_700_000_000_000_000L + (random.nextLong() >>> 16);
        };
        TraceWriter writer = new TraceWriter(random, limits, manner.of(limits, random), start);
        int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 60 : 20);
        return new Trace(limits, start, writer.steps(length), seed);
    }

    /** More steps of the same kind, on a clock that goes forward from {@code now}. */
    static List<Step> more(Random random, List<Limit> limits, long now, LimitFamily family) {
        Manner manner = new Manner(false, false, family.holdsPermits(), false, true, false);
        return new TraceWriter(random, limits, manner, now).steps(8);
    }

    private List<Step> steps(int length) {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            steps.add(step());
        }
        return steps;
    }

    private Step step() {
        long gap = gap();
        now += gap;
        times.add(now);
        latest = Math.max(latest, now);
        String key = manner.oneKey() ? "" : KEYS[random.nextInt(KEYS.length)];
        int percent = manner.shares() && random.nextInt(3) == 0 ? PERCENTS[random.nextInt(PERCENTS.length)] : 100;
        if (manner.resets() && random.nextInt(16) == 0) {
            now++; // the reset takes that long
            return new Step(gap, Step.Call.RESET, key, 0, 100);
        }
        int dice = random.nextInt(20);
        if (manner.givesBack() && dice < 5) {
            int part = random.nextBoolean() ? 100 : PERCENTS[random.nextInt(PERCENTS.length)];
            return new Step(gap, Step.Call.REFUND, key, random.nextInt(8), part);
        } else if (manner.holdsPermits() && dice < 10) {
            return new Step(gap, Step.Call.RELEASE, key, random.nextInt(8), 100);
        } else if (dice < 11) {
            return new Step(gap, Step.Call.PEEK, key, permits(), percent);
        } else if (!manner.holdsPermits() && dice < 13) {
            return new Step(gap, Step.Call.TRY, key, permits(), percent);
        }
        return new Step(gap, Step.Call.DECIDE, key, permits(), percent);
    }

    private long permits() {
        long least = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
        return switch (random.nextInt(20)) {
            case 0 -> 0;
            case 1 -> least + 1;
            case 2 -> random.nextBoolean() ? Long.MAX_VALUE : least * 2 + random.nextInt(100);
            case 3, 4 -> least;
            case 5, 6 -> Math.max(1, least - 1);
            case 7, 8, 9, 10 -> 1 + random.nextLong(least);
            case 11, 12, 13 -> 1 + least / 3;
            default -> 1;
        };
    }

    private long gap() {
        Rhythm rhythm = rhythms.get(random.nextInt(rhythms.size()));
        long gap = switch (random.nextInt(16)) {
            case 0, 1, 2, 3, 4 -> 0;
            case 5 -> 1;
            case 6, 7 -> nudge(toMultiple(rhythm.sliceMicros()));
            case 8 -> nudge(toMultiple(rhythm.periodMicros()));
            case 9, 10 -> nudge(toAnniversary(rhythm));
            case 11 -> nudge(rhythm.permitMicros());
            case 12, 13 -> random.nextLong(rhythm.sliceMicros() + 1);
            case 14 -> random.nextLong(2 * rhythm.memoryMicros() + 1);
            default -> random.nextInt(4) == 0 ? random.nextLong(1000 * rhythm.periodMicros()) : 2;
        };
        gap = Math.max(0, gap);
        if (manner.stepsBack() && random.nextInt(3) == 0) {
            gap = manner.oneKey() ? -gap : Math.max(-gap, latest - PATIENCE_MICROS - now);
        }
        return Math.abs(now + gap) > FAR_AWAY ? 0 : gap;
    }

    /** To the microsecond, or just beside it. */
    private long nudge(long gap) {
        return gap + (random.nextBoolean() ? 0 : random.nextInt(3) - 1);
    }

    private long toMultiple(long of) {
        return of - Math.floorMod(now, of);
    }

    /** To the moment when an earlier step is exactly one period ago, or exactly out of memory. */
    private long toAnniversary(Rhythm rhythm) {
        if (times.isEmpty()) {
            return 0;
        }
        long earlier = times.get(Math.max(0, times.size() - 1 - random.nextInt(6)));
        return earlier + (random.nextBoolean() ? rhythm.periodMicros() : rhythm.memoryMicros()) - now;
    }
}
