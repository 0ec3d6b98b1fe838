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
 * @param unfinishedBytes the bodies of all connections that are not complete yet; see {@link BodyBudget}
 * @param connectionUnfinishedBytes the bodies of one connection that are not complete yet
 * @param requestTimeout how long a client may take to send the head of a request, and again for its body
 * @param idleTimeout how long a connection may be idle
 */
public record Bounds(
        int bodyBytes,
        int headerBytes,
        int lineBytes,
        int checks,
        int connections,
        long unfinishedBytes,
        long connectionUnfinishedBytes,
        Duration requestTimeout,
        Duration idleTimeout) {
    /** What the server uses unless it is configured otherwise. */
    public static final Bounds DEFAULTS = new Bounds(
            1 << 20,
            16 << 10,
            8 << 10,
            1000,
            10_000,
            unfinishedBytes(Runtime.getRuntime().maxMemory()),
            unfinishedBytes(Runtime.getRuntime().maxMemory()) / 4,
            Duration.ofSeconds(10),
            Duration.ofSeconds(75));

    /** An eighth of the heap, at most 64 MB: far more than clients that finish their bodies have under way. */
    private static long unfinishedBytes(long heap) {
        return Math.max(8 << 20, Math.min(64 << 20, heap / 8));
    }

    public Bounds withConnections(int connections) {
        return new Bounds(
                bodyBytes,
                headerBytes,
                lineBytes,
                checks,
                connections,
                unfinishedBytes,
                connectionUnfinishedBytes,
                requestTimeout,
                idleTimeout);
    }

    public Bounds withUnfinishedBytes(long all, long ofAConnection) {
        return new Bounds(
                bodyBytes,
                headerBytes,
                lineBytes,
                checks,
                connections,
                all,
                ofAConnection,
                requestTimeout,
                idleTimeout);
    }

    public Bounds withRequestTimeout(Duration requestTimeout) {
        return new Bounds(
                bodyBytes,
                headerBytes,
                lineBytes,
                checks,
                connections,
                unfinishedBytes,
                connectionUnfinishedBytes,
                requestTimeout,
                idleTimeout);
    }

    public Bounds withIdleTimeout(Duration idleTimeout) {
        return new Bounds(
                bodyBytes,
                headerBytes,
                lineBytes,
                checks,
                connections,
                unfinishedBytes,
                connectionUnfinishedBytes,
                requestTimeout,
                idleTimeout);
    }
}
