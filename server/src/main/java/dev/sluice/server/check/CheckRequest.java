package dev.sluice.server.check;

import dev.sluice.rules.Request;
import java.time.Duration;

/**
 * One check, as a client asks for it.
 *
 * @param leaseMillis after how long permits of a concurrency limit free themselves
 */
record CheckRequest(Request request, long leaseMillis) {
    static final long DEFAULT_LEASE_MILLIS = Duration.ofMinutes(1).toMillis();
    static final long MAX_LEASE_MILLIS = Duration.ofDays(1).toMillis();

    CheckRequest(Request request) {
        this(request, DEFAULT_LEASE_MILLIS);
    }
}
