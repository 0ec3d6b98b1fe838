package dev.sluice.server.envoy;

import dev.sluice.Limit;
import java.time.Duration;

/** How much per how long a limit is, whatever its algorithm. */
final class Periods {
    private Periods() {}

    /** Zero where there is no such thing. */
    static Duration of(Limit limit) {
        if (limit instanceof Limit.FixedWindow window) {
            return window.period();
        } else if (limit instanceof Limit.SlidingWindow window) {
            return window.period();
        } else if (limit instanceof Limit.SlidingLog log) {
            return log.period();
        } else if (limit instanceof Limit.TokenBucket bucket) {
            return bucket.period();
        } else if (limit instanceof Limit.LeakyBucket bucket) {
            return bucket.period();
        }
        return Duration.ZERO;
    }

    static long permits(Limit limit) {
        if (limit instanceof Limit.TokenBucket bucket) {
            return bucket.permits();
        } else if (limit instanceof Limit.LeakyBucket bucket) {
            return bucket.permits();
        }
        return limit.capacity();
    }
}
