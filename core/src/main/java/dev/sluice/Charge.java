package dev.sluice;

import java.time.Duration;
import java.util.Objects;

/**
 * The permits that a request asks of one limiter, where several are charged together.
 *
 * @param permits 0 or more; 0 only looks, and is never denied
 * @param maxDelay the longest {@linkplain Decision#delay delay} of a queue that the request accepts; a longer one denies
 *     it. {@link Decision#NEVER} accepts any
 */
public record Charge(Limiter limiter, String key, long permits, Duration maxDelay) {
    public Charge {
        Objects.requireNonNull(limiter, "limiter must not be null");
        Objects.requireNonNull(key, "key must not be null");
        if (permits < 0) {
            throw new IllegalArgumentException("permits must be 0 or more, was " + permits);
        }
        if (maxDelay.isNegative()) {
            throw new IllegalArgumentException("maxDelay must not be negative, was " + maxDelay);
        }
    }

    /** A charge that accepts any delay. */
    public Charge(Limiter limiter, String key, long permits) {
        this(limiter, key, permits, Decision.NEVER);
    }
}
