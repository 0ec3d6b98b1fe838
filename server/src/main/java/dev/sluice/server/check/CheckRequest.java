package dev.sluice.server.check;

import dev.sluice.Limiter;
import dev.sluice.rules.Request;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One check of a body.
 *
 * @param leaseMillis after how long permits of a concurrency limit free themselves; {@link #NO_LEASE} for that of the rule
 */
record CheckRequest(Request request, long leaseMillis) {
    /** The client says nothing about the lease. */
    static final long NO_LEASE = 0;

    static final long MAX_LEASE_MILLIS = Limiter.MAX_LEASE.toMillis();

    /** The lease that the client asks for; null for that of the rule. */
    @Nullable
    Duration lease() {
        return leaseMillis == NO_LEASE ? null : Duration.ofMillis(leaseMillis);
    }
}
