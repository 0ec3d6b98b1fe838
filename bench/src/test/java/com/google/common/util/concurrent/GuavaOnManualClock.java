package com.google.common.util.concurrent;

import dev.sluice.ManualClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Guava's limiters on a clock that stands still. It stands in Guava's package, since only there can the clock be set. */
public final class GuavaOnManualClock extends RateLimiter.SleepingStopwatch {
    private static final double COLD_FACTOR = 3.0; // Guava's own

    private final ManualClock clock;

    private GuavaOnManualClock(ManualClock clock) {
        this.clock = clock;
    }

    public static RateLimiter bursty(double permitsPerSecond, ManualClock clock) {
        return RateLimiter.create(permitsPerSecond, new GuavaOnManualClock(clock));
    }

    public static RateLimiter warmingUp(double permitsPerSecond, Duration warmUp, ManualClock clock) {
        return RateLimiter.create(
                permitsPerSecond, warmUp.toNanos(), TimeUnit.NANOSECONDS, COLD_FACTOR, new GuavaOnManualClock(clock));
    }

    @Override
    protected long readMicros() {
        return TimeUnit.NANOSECONDS.toMicros(clock.nanos());
    }

    @Override
    protected void sleepMicrosUninterruptibly(long micros) {
        clock.advance(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(Math.max(0, micros))));
    }
}
