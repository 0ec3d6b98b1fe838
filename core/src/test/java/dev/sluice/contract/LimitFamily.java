package dev.sluice.contract;

import dev.sluice.Limit;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;

/** The kinds of limiter that every law is held against: each algorithm in each variant, and several at once. */
public enum LimitFamily {
    FIXED_WINDOW,
    FIXED_WINDOW_ALIGNED,
    FIXED_WINDOW_CALENDAR,
    SLIDING_WINDOW,
    SLIDING_WINDOW_WEIGHTED,
    SLIDING_LOG,
    TOKEN_BUCKET,
    TOKEN_BUCKET_BURST,
    LEAKY_BUCKET,
    LEAKY_BUCKET_QUEUE,
    CONCURRENCY,
    TWO_LIMITS,
    THREE_LIMITS,
    LIMITS_WITH_QUEUE,
    LIMITS_WITH_CONCURRENCY;

    private static final List<LimitFamily> RATES = List.of(
            FIXED_WINDOW,
            FIXED_WINDOW_ALIGNED,
            SLIDING_WINDOW,
            SLIDING_WINDOW_WEIGHTED,
            SLIDING_LOG,
            TOKEN_BUCKET,
            TOKEN_BUCKET_BURST,
            LEAKY_BUCKET);
    private static final long[] PERMITS = {1, 1, 2, 3, 3, 5, 7, 8, 10, 13, 64, 100, 1_009};
    private static final long[] PERIODS = {
        1, 2, 3, 7, 10, 13, 60, 100, 1_000, 1_009, 999_983, 1_000_000, 60_000_000, 86_400_000_000L
    };
    private static final int[] SLICES = {1, 1, 2, 3, 4, 6, 7, 10, 31};
    private static final List<ChronoUnit> UNITS = List.of(
            ChronoUnit.MINUTES,
            ChronoUnit.HOURS,
            ChronoUnit.DAYS,
            ChronoUnit.DAYS,
            ChronoUnit.WEEKS,
            ChronoUnit.MONTHS,
            ChronoUnit.YEARS);
    private static final List<String> ZONES =
            List.of("UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland");

    boolean holdsPermits() {
        return this == CONCURRENCY || this == LIMITS_WITH_CONCURRENCY;
    }

    List<Limit> random(Random random) {
        return switch (this) {
            case TWO_LIMITS -> List.of(rate(random), rate(random));
            case THREE_LIMITS -> List.of(rate(random), rate(random), rate(random));
            case LIMITS_WITH_QUEUE -> shuffled(random, rate(random), LEAKY_BUCKET_QUEUE.one(random));
            case LIMITS_WITH_CONCURRENCY -> shuffled(random, rate(random), CONCURRENCY.one(random));
            default -> List.of(one(random));
        };
    }

    private static Limit rate(Random random) {
        return RATES.get(random.nextInt(RATES.size())).one(random);
    }

    private static List<Limit> shuffled(Random random, Limit one, Limit other) {
        return random.nextBoolean() ? List.of(one, other) : List.of(other, one);
    }

    private Limit one(Random random) {
        long permits = PERMITS[random.nextInt(PERMITS.length)];
        long other = PERMITS[random.nextInt(PERMITS.length)];
        Duration period = micros(PERIODS[random.nextInt(PERIODS.length)]);
        return switch (this) {
            case FIXED_WINDOW -> Limit.fixedWindow(permits, period);
            case FIXED_WINDOW_ALIGNED -> Limit.fixedWindow(permits, period).aligned();
            case FIXED_WINDOW_CALENDAR ->
                Limit.fixedWindow(
                        permits,
                        UNITS.get(random.nextInt(UNITS.size())),
                        ZoneId.of(ZONES.get(random.nextInt(ZONES.size()))));
            case SLIDING_WINDOW -> sliding(random, permits, period);
            case SLIDING_WINDOW_WEIGHTED -> sliding(random, permits, period).weighted();
            case SLIDING_LOG -> Limit.slidingLog(permits, period);
            case TOKEN_BUCKET -> Limit.tokenBucket(permits, period);
            case TOKEN_BUCKET_BURST -> Limit.tokenBucket(permits, period).burst(other);
            case LEAKY_BUCKET -> Limit.leakyBucket(permits, period).capacity(other);
            case LEAKY_BUCKET_QUEUE ->
                Limit.leakyBucket(permits, period).capacity(other).queue();
            case CONCURRENCY -> Limit.concurrency(permits);
            default -> throw new IllegalStateException(this + " is more than one limit");
        };
    }

    private static Limit.SlidingWindow sliding(Random random, long permits, Duration slice) {
        int slices = SLICES[random.nextInt(SLICES.length)];
        return Limit.slidingWindow(permits, slice.multipliedBy(slices), slices);
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
