package dev.sluice.server.http;

import dev.sluice.rules.Request;
import java.time.Duration;

/**
 * One question to the rules.
 *
 * @param leaseMillis how long permits that are held until they are freed stay held at most
 */
record Check(Request request, long leaseMillis) {
    static final long USUAL_LEASE_MILLIS = Duration.ofMinutes(1).toMillis();
    static final long LONGEST_LEASE_MILLIS = Duration.ofDays(1).toMillis();

    Check(Request request) {
        this(request, USUAL_LEASE_MILLIS);
    }
}
