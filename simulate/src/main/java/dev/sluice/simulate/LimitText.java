package dev.sluice.simulate;

import dev.sluice.Limit;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * A limit in words.
 *
 * @param title the algorithm
 * @param detail the numbers
 * @param code the Java expression that builds it
 * @param permits the permits per period, or at once
 * @param bound the most that can be admitted in any period, or held at once
 */
record LimitText(String title, String detail, String code, long permits, long bound) {
    static LimitText of(Limit limit) {
        if (limit instanceof Limit.FixedWindow fixed) {
            return fixedWindow(fixed);
        } else if (limit instanceof Limit.SlidingWindow sliding) {
            return slidingWindow(sliding);
        } else if (limit instanceof Limit.SlidingLog log) {
            return new LimitText(
                    "Sliding log",
                    rate(log.permits(), log.period()),
                    call("slidingLog", log.permits(), log.period()) + ")",
                    log.permits(),
                    log.permits());
        } else if (limit instanceof Limit.TokenBucket bucket) {
            return new LimitText(
                    "Token bucket",
                    rate(bucket.permits(), bucket.period()) + ", burst " + bucket.burst(),
                    call("tokenBucket", bucket.permits(), bucket.period()) + ")"
                            + (bucket.burst() == bucket.permits() ? "" : ".burst(" + bucket.burst() + ")"),
                    bucket.permits(),
                    bucket.burst() + bucket.permits());
        } else if (limit instanceof Limit.LeakyBucket bucket) {
            return leakyBucket(bucket);
        } else if (limit instanceof Limit.Concurrency concurrency) {
            return new LimitText(
                    "Concurrency",
                    concurrency.permits() + " at once",
                    "Limit.concurrency(" + concurrency.permits() + ")",
                    concurrency.permits(),
                    concurrency.permits());
        }
        throw new IllegalArgumentException("no words for " + limit);
    }

    private static LimitText fixedWindow(Limit.FixedWindow fixed) {
        String rate = rate(fixed.permits(), fixed.period());
        String code = call("fixedWindow", fixed.permits(), fixed.period()) + ")";
        if (fixed.alignment() instanceof Limit.Alignment.Calendar calendar) {
            String unit = calendar.unit().name();
            return new LimitText(
                    "Fixed window, calendar",
                    fixed.permits() + " per "
                            + unit.substring(0, unit.length() - 1).toLowerCase(Locale.ROOT) + " in " + calendar.zone(),
                    "Limit.fixedWindow(" + fixed.permits() + ", ChronoUnit." + unit + ", ZoneId.of(\"" + calendar.zone()
                            + "\"))",
                    fixed.permits(),
                    (sameLength(calendar) ? 2 : 3) * fixed.permits());
        }
        return fixed.alignment() instanceof Limit.Alignment.Epoch
                ? new LimitText(
                        "Fixed window, aligned", rate, code + ".aligned()", fixed.permits(), 2 * fixed.permits())
                : new LimitText(
                        "Fixed window",
                        rate + ", from the first request",
                        code,
                        fixed.permits(),
                        2 * fixed.permits() - 1);
    }

    /**
     * Whether all windows are as long as the period. A day of 23 hours or a month of 28 days fits whole between a burst
     * before it and a burst after it, and all three within the length of a longer one.
     */
    private static boolean sameLength(Limit.Alignment.Calendar calendar) {
        return calendar.zone().getRules().isFixedOffset()
                && calendar.unit() != ChronoUnit.MONTHS
                && calendar.unit() != ChronoUnit.YEARS;
    }

    private static LimitText slidingWindow(Limit.SlidingWindow sliding) {
        boolean strict = sliding.counting() == Limit.SlidingWindow.Counting.STRICT;
        return new LimitText(
                strict ? "Sliding window" : "Sliding window, weighted",
                rate(sliding.permits(), sliding.period()) + ", " + sliding.slices()
                        + (sliding.slices() == 1 ? " slice" : " slices"),
                call("slidingWindow", sliding.permits(), sliding.period()) + ", " + sliding.slices() + ")"
                        + (strict ? "" : ".weighted()"),
                sliding.permits(),
                strict ? sliding.permits() : 2 * sliding.permits());
    }

    private static LimitText leakyBucket(Limit.LeakyBucket bucket) {
        boolean queue = bucket.flow() == Limit.LeakyBucket.Flow.QUEUE;
        return new LimitText(
                queue ? "Leaky bucket, queue" : "Leaky bucket",
                rate(bucket.permits(), bucket.period()) + ", capacity " + bucket.capacity(),
                call("leakyBucket", bucket.permits(), bucket.period()) + ")"
                        + (bucket.capacity() == bucket.permits() ? "" : ".capacity(" + bucket.capacity() + ")")
                        + (queue ? ".queue()" : ""),
                bucket.permits(),
                queue ? bucket.permits() : bucket.capacity() + bucket.permits());
    }

    private static String rate(long permits, Duration period) {
        return permits + " per " + DurationText.format(Micros.of(period));
    }

    private static String call(String method, long permits, Duration period) {
        return "Limit." + method + "(" + permits + ", " + code(period);
    }

    private static String code(Duration period) {
        long micros = Micros.of(period);
        if (micros % 86_400_000_000L == 0) {
            return "Duration.ofDays(" + micros / 86_400_000_000L + ")";
        } else if (micros % 3_600_000_000L == 0) {
            return "Duration.ofHours(" + micros / 3_600_000_000L + ")";
        } else if (micros % 60_000_000 == 0) {
            return "Duration.ofMinutes(" + micros / 60_000_000 + ")";
        } else if (micros % 1_000_000 == 0) {
            return "Duration.ofSeconds(" + micros / 1_000_000 + ")";
        }
        return micros % 1000 == 0
                ? "Duration.ofMillis(" + micros / 1000 + ")"
                : "Duration.of(" + micros + ", ChronoUnit.MICROS)";
    }
}
