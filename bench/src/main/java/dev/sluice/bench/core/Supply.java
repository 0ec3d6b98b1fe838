package dev.sluice.bench.core;

import io.github.bucket4j.Bandwidth;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;

/** How much a limiter grants. */
@SuppressWarnings("ImmutableEnumChecker") // they are immutable
public enum Supply {
    /** It never denies. */
    OPEN(1_000_000_000, 1_000_000_000, Duration.ofSeconds(1)),
    /** It never allows: one permit a day, and that one taken. */
    SHUT(1, 1, Duration.ofDays(1)),
    /**
     * It never denies within a run, and is never full again either: the state of a key in use, which nobody may drop.
     */
    SLOW(100_000, 1, Duration.ofDays(1));

    static final Duration DAY = Duration.ofDays(1);

    final int permits;
    /** How many permits come back in a period, where that is not all of them. */
    final int refill;

    final Duration period;
    /** Shared by all limiters, as a user would. */
    final Bandwidth bandwidth;

    final RateLimiterConfig resilience4j;

    Supply(int permits, int refill, Duration period) {
        this.permits = permits;
        this.refill = refill;
        this.period = period;
        this.bandwidth = Bandwidth.builder()
                .capacity(permits)
                .refillGreedy(refill, period)
                .build();
        this.resilience4j = RateLimiterConfig.custom()
                .limitForPeriod(permits)
                .limitRefreshPeriod(period)
                .timeoutDuration(Duration.ZERO) // so that it answers at once
                .build();
    }
}
