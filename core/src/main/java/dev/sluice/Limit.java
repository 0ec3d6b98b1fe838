package dev.sluice;

import dev.sluice.algorithm.CalendarUnit;
import dev.sluice.algorithm.Rate;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How much is allowed: the numbers, not the enforcement. Checked when built; a limit that exists is a limit that can
 * be kept exactly.
 *
 * <p>Durations are whole microseconds, at most ten years.
 */
public sealed interface Limit {
    /** The largest number of permits: every count stays exact as a double too, which is what Lua has. */
    long MAX_PERMITS = 1L << 53;

    /** The longest period. */
    Duration MAX_PERIOD = Duration.ofDays(3653);

    /** The permits per period, or at once if there is no period. */
    long permits();

    /** The period; null for a concurrency limit, whose permits are held until they are released. */
    @Nullable
    Duration period();

    /** The largest number of permits that can be taken at once: {@link Decision#limit()}. */
    default long capacity() {
        return permits();
    }

    /** The name of the algorithm, as in rule files. */
    String algorithm();

    /** Whether admitted work may have to wait for its {@link Decision#delay()}. */
    default boolean delays() {
        return false;
    }

    /** Whether its permits are held until they are released. */
    default boolean holds() {
        return period() == null;
    }

    /**
     * Reads a limit as a rule file has it, such as {@code 5 per 1m sliding-log}, {@code 100 per 1d fixed-window
     * aligned=Europe/Berlin} or {@code 20 at once}. The algorithm may be left out: it is a sliding window then. What
     * {@link #text} writes is read as an equal limit.
     *
     * @throws LimitSyntaxException if this is no limit, with all that is wrong and where
     */
    static Limit parse(String text) {
        return LimitParser.parse(text, LimitParser.EXPECTED);
    }

    /** The limit as a rule file has it, such as {@code 5 per 1m sliding-log}: the inverse of {@link #parse}. */
    default String text() {
        return accept(LimitText.INSTANCE);
    }

    /** Calls the method of {@code cases} that is this limit's. */
    <R> R accept(Cases<R> cases);

    /**
     * One method for each algorithm. Whatever tells algorithms apart implements this, so that it does not compile until
     * it knows them all.
     */
    interface Cases<R> {
        R fixedWindow(FixedWindow limit);

        R slidingWindow(SlidingWindow limit);

        R slidingLog(SlidingLog limit);

        R tokenBucket(TokenBucket limit);

        R leakyBucket(LeakyBucket limit);

        R concurrency(Concurrency limit);
    }

    /** At most {@code permits} in each window of {@code period}; a window starts at the first request after the last. */
    static FixedWindow fixedWindow(long permits, Duration period) {
        return new FixedWindow(permits, period, new Alignment.FirstRequest());
    }

    /** At most {@code permits} in each calendar unit (a minute up to a year) of {@code zone}. */
    static FixedWindow fixedWindow(long permits, ChronoUnit unit, ZoneId zone) {
        return new FixedWindow(permits, unit.getDuration(), new Alignment.Calendar(unit, zone));
    }

    /** At most {@code permits} in any {@code period}, counted in ten slices. */
    static SlidingWindow slidingWindow(long permits, Duration period) {
        return slidingWindow(permits, period, 10);
    }

    /** At most {@code permits} in any {@code period}, counted in {@code slices}. */
    static SlidingWindow slidingWindow(long permits, Duration period, int slices) {
        return new SlidingWindow(permits, period, slices, SlidingWindow.Counting.STRICT);
    }

    /** At most {@code permits} in any {@code period}, exactly. */
    static SlidingLog slidingLog(long permits, Duration period) {
        return new SlidingLog(permits, period);
    }

    /**
     * {@code permits} per {@code period}, and bursts of as many.
     *
     * @throws IllegalArgumentException if the rate cannot be kept exactly: the bucket times the period in microseconds,
     *     divided by the greatest common divisor of permits and period, must be at most 2^53. The message names the
     *     nearest number of permits that can
     */
    static TokenBucket tokenBucket(long permits, Duration period) {
        return new TokenBucket(permits, period, permits);
    }

    /**
     * {@code permits} per {@code period} flow out of a bucket that holds as many.
     *
     * @throws IllegalArgumentException if the rate cannot be kept exactly, as with {@link #tokenBucket}
     */
    static LeakyBucket leakyBucket(long permits, Duration period) {
        return new LeakyBucket(permits, period, permits, LeakyBucket.Flow.METER);
    }

    /** At most {@code permits} held at once. */
    static Concurrency concurrency(long permits) {
        return new Concurrency(permits);
    }

    /** See {@link Limit#fixedWindow(long, Duration)}. */
    record FixedWindow(long permits, Duration period, Alignment alignment) implements Limit {
        public FixedWindow {
            checkPermits("permits", permits);
            checkPeriod(period);
            if (alignment instanceof Alignment.Calendar calendar
                    && !calendar.unit().getDuration().equals(period)) {
                throw new IllegalArgumentException("a window aligned to " + calendar.unit() + " lasts "
                        + calendar.unit().getDuration() + ", was " + period);
            }
        }

        /** The same, in windows that start at whole multiples of the period since 1970. */
        public FixedWindow aligned() {
            return new FixedWindow(permits, period, new Alignment.Epoch());
        }

        /** The same, in windows that start with a minute, hour, day or week (on Monday) of {@code zone}. */
        public FixedWindow aligned(ZoneId zone) {
            return new FixedWindow(permits, period, new Alignment.Calendar(unitOf(period), zone));
        }

        @Override
        public String algorithm() {
            return "fixed-window";
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.fixedWindow(this);
        }

        @Override
        public String toString() {
            return text();
        }

        private static ChronoUnit unitOf(Duration period) {
            for (ChronoUnit unit : Alignment.Calendar.UNITS) {
                if (unit.compareTo(ChronoUnit.WEEKS) <= 0 && unit.getDuration().equals(period)) {
                    return unit;
                }
            }
            throw new IllegalArgumentException("a window aligned to a zone lasts one minute, hour, day or week, was "
                    + period + "; for months and years say fixedWindow(permits, ChronoUnit.MONTHS, zone)");
        }
    }

    /** Where a fixed window starts. */
    sealed interface Alignment {
        /** At the first request after the last window ended. */
        record FirstRequest() implements Alignment {}

        /** At whole multiples of the period since 1970, by the wall clock. */
        record Epoch() implements Alignment {}

        /** At the start of each {@code unit} in {@code zone}, by the wall clock. */
        record Calendar(ChronoUnit unit, ZoneId zone) implements Alignment {
            static final List<ChronoUnit> UNITS = List.of(
                    ChronoUnit.MINUTES,
                    ChronoUnit.HOURS,
                    ChronoUnit.DAYS,
                    ChronoUnit.WEEKS,
                    ChronoUnit.MONTHS,
                    ChronoUnit.YEARS);

            public Calendar {
                if (!UNITS.contains(unit)) {
                    throw new IllegalArgumentException("unit must be one of " + UNITS + ", was " + unit);
                }
            }

            /** The start of the unit that contains {@code micros} since 1970. */
            public long startMicros(long micros) {
                return CalendarUnit.at(unit, zone, micros).start();
            }

            /** The end of the unit that contains {@code micros} since 1970. */
            public long endMicros(long micros) {
                return CalendarUnit.at(unit, zone, micros).end();
            }
        }
    }

    /** See {@link Limit#slidingWindow(long, Duration, int)}. */
    record SlidingWindow(long permits, Duration period, int slices, Counting counting) implements Limit {
        /** The largest number of slices. */
        public static final int MAX_SLICES = 3600;

        /** How the oldest slice, which overlaps the window only in part, is counted. */
        public enum Counting {
            /** In full: never more than the limit in any period. */
            STRICT,
            /** By its overlap: close on smooth traffic, up to twice the limit against an adversary. */
            WEIGHTED
        }

        public SlidingWindow {
            checkPermits("permits", permits);
            checkPeriod(period);
            if (slices < 1 || slices > MAX_SLICES) {
                throw new IllegalArgumentException("slices must be 1 to " + MAX_SLICES + ", was " + slices);
            }
            long micros = micros(period);
            if (micros % slices != 0) {
                throw new IllegalArgumentException(
                        "a period of " + micros + " microseconds cannot be cut into " + slices
                                + " equal slices of whole microseconds; the nearest number of slices that can is "
                                + nearestDivisor(micros, slices));
            }
            if (counting == Counting.WEIGHTED && permits > MAX_PERMITS / 4 / (micros / slices)) {
                throw new IllegalArgumentException("permits x slice must stay below 2^51 to be weighted exactly, was "
                        + permits + " x " + micros / slices + " microseconds; use more slices, or strict");
            }
        }

        /** The same, with the oldest slice counted by its overlap. */
        public SlidingWindow weighted() {
            return new SlidingWindow(permits, period, slices, Counting.WEIGHTED);
        }

        @Override
        public String algorithm() {
            return "sliding-window";
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.slidingWindow(this);
        }

        @Override
        public String toString() {
            return text();
        }

        private static long nearestDivisor(long micros, int slices) {
            int down = slices;
            while (micros % down != 0) {
                down--;
            }
            int up = slices;
            while (up <= MAX_SLICES && micros % up != 0) {
                up++;
            }
            return up <= MAX_SLICES && up - slices <= slices - down ? up : down;
        }
    }

    /** See {@link Limit#slidingLog(long, Duration)}. */
    record SlidingLog(long permits, Duration period) implements Limit {
        /** The largest number of permits: each takes eight bytes. */
        public static final long MAX_LOG = 1L << 24;

        public SlidingLog {
            checkPermits("permits", permits);
            checkPeriod(period);
            if (permits > MAX_LOG) {
                throw new IllegalArgumentException("a sliding log keeps every permit, eight bytes each: at most "
                        + MAX_LOG + " permits, was " + permits + "; use a sliding window");
            }
        }

        @Override
        public String algorithm() {
            return "sliding-log";
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.slidingLog(this);
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** See {@link Limit#tokenBucket(long, Duration)}. */
    record TokenBucket(long permits, Duration period, long burst) implements Limit {
        public TokenBucket {
            checkPermits("permits", permits);
            checkPeriod(period);
            checkPermits("burst", burst);
            Rate.of(permits, micros(period), burst);
        }

        /** The same rate with a bucket of another size. */
        public TokenBucket burst(long burst) {
            return new TokenBucket(permits, period, burst);
        }

        @Override
        public String algorithm() {
            return "token-bucket";
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.tokenBucket(this);
        }

        @Override
        public String toString() {
            return text();
        }

        @Override
        public long capacity() {
            return burst;
        }
    }

    /** See {@link Limit#leakyBucket(long, Duration)}. */
    record LeakyBucket(long permits, Duration period, long capacity, Flow flow) implements Limit {
        /** When admitted work may start. */
        public enum Flow {
            /** At once. */
            METER,
            /** After a delay, so that work starts at a constant rate. */
            QUEUE
        }

        public LeakyBucket {
            checkPermits("permits", permits);
            checkPeriod(period);
            checkPermits("capacity", capacity);
            Rate.of(permits, micros(period), capacity);
        }

        /** The same rate with a bucket of another size. */
        public LeakyBucket capacity(long capacity) {
            return new LeakyBucket(permits, period, capacity, flow);
        }

        /** The same, with a delay for admitted work so that it starts at a constant rate. */
        public LeakyBucket queue() {
            return new LeakyBucket(permits, period, capacity, Flow.QUEUE);
        }

        @Override
        public String algorithm() {
            return "leaky-bucket";
        }

        @Override
        public boolean delays() {
            return flow == Flow.QUEUE;
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.leakyBucket(this);
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** See {@link Limit#concurrency(long)}. */
    record Concurrency(long permits) implements Limit {
        public Concurrency {
            checkPermits("permits", permits);
        }

        @Override
        public @Nullable Duration period() {
            return null;
        }

        @Override
        public String algorithm() {
            return "concurrency";
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.concurrency(this);
        }

        @Override
        public String toString() {
            return text();
        }
    }

    private static void checkPermits(String name, long permits) {
        if (permits < 1 || permits > MAX_PERMITS) {
            throw new IllegalArgumentException(name + " must be 1 to 2^53, was " + permits);
        }
    }

    private static void checkPeriod(Duration period) {
        if (period.isNegative() || period.isZero() || period.compareTo(MAX_PERIOD) > 0) {
            throw new IllegalArgumentException("period must be longer than zero and at most ten years, was " + period);
        }
        if (period.toNanosPart() % 1000 != 0) {
            throw new IllegalArgumentException("period must be whole microseconds, was " + period);
        }
    }

    private static long micros(Duration period) {
        return TimeUnit.MICROSECONDS.convert(period);
    }
}
