package dev.sluice.bench.core;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import java.time.Duration;

/** Sluice, set up as {@link Peers} sets up the others. */
final class Sluices {
    /** As long as the log of the memory figures. */
    static final int LOG = 1000;

    private Sluices() {}

    static Limiter fixedWindowOpen() {
        return Limiter.local(Limit.fixedWindow(Peers.MANY, Peers.SECOND));
    }

    static Limiter tokenBucketOpen() {
        return Limiter.local(Limit.tokenBucket(Peers.MANY, Peers.SECOND));
    }

    static Limiter leakyBucketOpen() {
        return Limiter.local(Limit.leakyBucket(Peers.MANY, Peers.SECOND));
    }

    static Limiter slidingWindowOpen() {
        return Limiter.local(Limit.slidingWindow(Peers.MANY, Peers.SECOND));
    }

    /** A log keeps every permit, so it is open by a short period: 1,000 in 5 microseconds are 200 million a second. */
    static Limiter slidingLogOpen() {
        return Limiter.local(Limit.slidingLog(LOG, Duration.ofNanos(5000)));
    }

    static Limiter compositeOpen() {
        return Limiter.local(
                Limit.tokenBucket(Peers.MANY, Peers.SECOND), Limit.fixedWindow(1_000_000L * Peers.MANY, Peers.DAY));
    }

    static Limiter shut(Limit limit) {
        Limiter limiter = Limiter.local(limit);
        Peers.exhaust("sluice " + limit, limiter::tryAcquire);
        return limiter;
    }

    static Limit tokenBucketSlow() {
        return Limit.tokenBucket(1, Peers.DAY).burst(Peers.PLENTY);
    }

    static Limit fixedWindowSlow() {
        return Limit.fixedWindow(Peers.PLENTY, Peers.DAY);
    }
}
