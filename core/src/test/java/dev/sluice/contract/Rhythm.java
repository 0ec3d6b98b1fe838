package dev.sluice.contract;

import dev.sluice.Limit;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** The times at which something happens inside a limit, so that traces can aim at them. */
record Rhythm(long periodMicros, long sliceMicros, long permitMicros, long memoryMicros) {
    static Rhythm of(Limit limit) {
        return limit.accept(new Limit.Cases<>() {
            @Override
            public Rhythm fixedWindow(Limit.FixedWindow fixed) {
                // A calendar unit is only about as long as it is said to be: a month may have 31 days, a day 25 hours.
                boolean calendar = fixed.alignment() instanceof Limit.Alignment.Calendar;
                long period = micros(fixed.period());
                return new Rhythm(period, period, period / fixed.permits(), calendar ? period + period / 10 : period);
            }

            @Override
            public Rhythm slidingWindow(Limit.SlidingWindow sliding) {
                long period = micros(sliding.period());
                long slice = period / sliding.slices();
                return new Rhythm(period, slice, period / sliding.permits(), period + slice);
            }

            @Override
            public Rhythm slidingLog(Limit.SlidingLog log) {
                long period = micros(log.period());
                return new Rhythm(period, period, period / log.permits(), period);
            }

            @Override
            public Rhythm tokenBucket(Limit.TokenBucket bucket) {
                return ofBucket(bucket.permits(), bucket.period(), bucket.burst());
            }

            @Override
            public Rhythm leakyBucket(Limit.LeakyBucket bucket) {
                return ofBucket(bucket.permits(), bucket.period(), bucket.capacity());
            }

            @Override
            public Rhythm concurrency(Limit.Concurrency concurrency) {
                return new Rhythm(1_000, 1_000, 1_000, 1_000);
            }
        });
    }

    private static Rhythm ofBucket(long permits, Duration period, long capacity) {
        long micros = micros(period);
        long fill = (capacity * micros + permits - 1) / permits;
        return new Rhythm(micros, fill, micros / permits, fill);
    }

    static long micros(Duration duration) {
        return duration.dividedBy(ChronoUnit.MICROS.getDuration());
    }
}
