package dev.sluice.server.web;

import java.time.Duration;

/**
 * How much one request, one client and all clients together may use of the server. A request beyond a bound is refused
 * with a message that names the bound.
 *
 * @param bodyBytes the longest body
 * @param headerBytes all header fields of one request together
 * @param lineBytes the request line, and so the longest path and query
 * @param checks how many checks one list may have
 * @param connections how many connections may be open at once
 * @param holds how many holds may be open at once
 * @param requestTimeout how long a client may take to send the head of a request, and again for its body
 * @param idleTimeout how long a connection may be idle
 */
public record Bounds(
        int bodyBytes,
        int headerBytes,
        int lineBytes,
        int checks,
        int connections,
        int holds,
        Duration requestTimeout,
        Duration idleTimeout) {
    /** What the server uses unless it is configured otherwise. */
    public static final Bounds DEFAULTS = new Bounds(
            1 << 20, 16 << 10, 8 << 10, 1000, 10_000, 100_000, Duration.ofSeconds(10), Duration.ofSeconds(75));

    public Bounds withConnections(int connections) {
        return new Bounds(bodyBytes, headerBytes, lineBytes, checks, connections, holds, requestTimeout, idleTimeout);
    }

    public Bounds withHolds(int holds) {
        return new Bounds(bodyBytes, headerBytes, lineBytes, checks, connections, holds, requestTimeout, idleTimeout);
    }

    public Bounds withRequestTimeout(Duration requestTimeout) {
        return new Bounds(bodyBytes, headerBytes, lineBytes, checks, connections, holds, requestTimeout, idleTimeout);
    }
}
