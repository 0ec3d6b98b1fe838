package dev.sluice.bench.redis;

import java.time.Duration;

/**
 * The limit of a limiter that is measured.
 *
 * <p>Why these: no request of a run may be denied, and no key may be full again before the run is over, for then there would
 * be no state to read. A log keeps every permit, so one on a hot key needs a short period to stay at a realistic size:
 * at 60,000 requests a second this one holds 3,000. It allows 1.2 million a second, twice the pace of the fastest row.
 */
record Quota(long permits, Duration period) {
    static final Quota HOT = new Quota(100_000_000, Duration.ofDays(10));
    static final Quota HOT_LOG = new Quota(60_000, Duration.ofMillis(50));
    static final Quota KEYED = new Quota(10_000, Duration.ofDays(100));

    long periodMillis() {
        return period.toMillis();
    }

    double permitsPerSecond() {
        return permits * 1000.0 / periodMillis();
    }
}
