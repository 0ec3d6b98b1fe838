package dev.sluice.simulate;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.sluice.Limit;
import dev.sluice.simulate.svg.TimeAxis;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * What a picture shows of a limit beside its text and its numbers.
 *
 * @param title the name of the algorithm, as a heading
 * @param code the Java expression that builds the limit
 * @param bound the largest number of requests that can be admitted in any period, or held at once
 * @param hasWindows whether the limit counts in windows, whose ends are drawn
 * @param sliceMicros the length of the slices that the limit counts in; 0 if it does not
 */
public record LimitSummary(String title, String code, long bound, boolean hasWindows, long sliceMicros) {
    /** The name of the algorithm as users write it: {@code sliding-log}. */
    public String key() {
        return title.toLowerCase(Locale.ROOT).replace(", ", "-").replace(' ', '-');
    }

    /** The summary of a limit. */
    public static LimitSummary of(Limit limit) {
        return limit.accept(new Cases());
    }

    private static LimitSummary plain(String title, String code, long bound) {
        return new LimitSummary(title, code, bound, false, 0);
    }

    private static final class Cases implements Limit.Cases<LimitSummary> {
        @Override
        public LimitSummary fixedWindow(Limit.FixedWindow limit) {
            String code = call("fixedWindow", limit) + ")";
            long permits = limit.permits();
            if (limit.alignment() instanceof Limit.Alignment.Calendar calendar) {
                return new LimitSummary(
                        "Fixed window, calendar",
                        "Limit.fixedWindow(" + permits + ", ChronoUnit."
                                + calendar.unit().name() + ", ZoneId.of(\"" + calendar.zone() + "\"))",
                        (hasEqualWindows(calendar) ? 2 : 3) * permits,
                        true,
                        0);
            }
            return limit.alignment() instanceof Limit.Alignment.Epoch
                    ? new LimitSummary("Fixed window, aligned", code + ".aligned()", 2 * permits, true, 0)
                    : new LimitSummary("Fixed window", code, 2 * permits - 1, true, 0);
        }

        /**
         * Whether all windows are as long as the period. A day of 23 hours or a month of 28 days fits whole between a
         * burst before it and a burst after it, and all three within the length of a longer one.
         */
        private static boolean hasEqualWindows(Limit.Alignment.Calendar calendar) {
            return calendar.zone().getRules().isFixedOffset()
                    && calendar.unit() != ChronoUnit.MONTHS
                    && calendar.unit() != ChronoUnit.YEARS;
        }

        @Override
        public LimitSummary slidingWindow(Limit.SlidingWindow limit) {
            boolean strict = limit.counting() == Limit.SlidingWindow.Counting.STRICT;
            return new LimitSummary(
                    strict ? "Sliding window" : "Sliding window, weighted",
                    call("slidingWindow", limit) + ", " + limit.slices() + ")" + (strict ? "" : ".weighted()"),
                    strict ? limit.permits() : 2 * limit.permits(),
                    false,
                    MICROSECONDS.convert(limit.period()) / limit.slices());
        }

        @Override
        public LimitSummary slidingLog(Limit.SlidingLog limit) {
            return plain("Sliding log", call("slidingLog", limit) + ")", limit.permits());
        }

        @Override
        public LimitSummary tokenBucket(Limit.TokenBucket limit) {
            String burst = limit.burst() == limit.permits() ? "" : ".burst(" + limit.burst() + ")";
            return plain("Token bucket", call("tokenBucket", limit) + ")" + burst, limit.burst() + limit.permits());
        }

        @Override
        public LimitSummary leakyBucket(Limit.LeakyBucket limit) {
            String capacity = limit.capacity() == limit.permits() ? "" : ".capacity(" + limit.capacity() + ")";
            String code = call("leakyBucket", limit) + ")" + capacity;
            return limit.delays()
                    ? plain("Leaky bucket, queue", code + ".queue()", limit.permits())
                    : plain("Leaky bucket", code, limit.capacity() + limit.permits());
        }

        @Override
        public LimitSummary concurrency(Limit.Concurrency limit) {
            return plain("Concurrency", "Limit.concurrency(" + limit.permits() + ")", limit.permits());
        }

        /** The call that builds a limit, up to where its period ends. */
        private static String call(String method, Limit limit) {
            Duration period = limit.period();
            return "Limit." + method + "(" + limit.permits() + ", " + (period == null ? "" : code(period));
        }

        private static String code(Duration period) {
            long micros = MICROSECONDS.convert(period);
            TimeAxis.Unit unit = TimeAxis.Unit.of(micros);
            String name = unit.name().charAt(0) + unit.name().substring(1).toLowerCase(Locale.ROOT);
            return unit == TimeAxis.Unit.MICROS
                    ? "Duration.of(" + micros + ", ChronoUnit.MICROS)"
                    : "Duration.of" + name + "(" + micros / unit.micros() + ")";
        }
    }
}
