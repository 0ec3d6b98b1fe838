package dev.sluice.server.web;

import java.time.Duration;

/**
 * How much one request, one client and all clients together may use of the server. A request beyond a bound is refused
 * with a message that names the bound.
 *
 * @param request how large one request may be
 * @param connections how many connections may be open at once
 * @param unfinished how much the bodies may take that are not complete yet
 * @param requestTimeout how long a client may take to send the head of a request, and again for its body
 * @param idleTimeout how long a connection may be idle
 */
public record Bounds(
        OfRequest request, int connections, Unfinished unfinished, Duration requestTimeout, Duration idleTimeout) {
    /** What the server uses unless it is configured otherwise. */
    public static final Bounds DEFAULTS = new Bounds(
            new OfRequest(1 << 20, 16 << 10, 8 << 10, 1000),
            10_000,
            Unfinished.within(Runtime.getRuntime().maxMemory()),
            Duration.ofSeconds(10),
            Duration.ofSeconds(75));

    /**
     * How large one request may be.
     *
     * @param bodyBytes the longest body
     * @param headerBytes all header fields together
     * @param lineBytes the request line, and so the longest path and query
     * @param checks how many checks one list may have
     */
    public record OfRequest(int bodyBytes, int headerBytes, int lineBytes, int checks) {}

    /**
     * The memory of bodies that are not complete yet; see {@link BodyBudget}.
     *
     * @param bytes those of all connections
     * @param connectionBytes those of one connection
     */
    public record Unfinished(long bytes, long connectionBytes) {
        /** An eighth of the heap, at most 64 MB: far more than clients that finish their bodies have under way. */
        static Unfinished within(long heap) {
            long bytes = Math.max(8 << 20, Math.min(64 << 20, heap / 8));
            return new Unfinished(bytes, bytes / 4);
        }
    }

    public Bounds withConnections(int connections) {
        return new Bounds(request, connections, unfinished, requestTimeout, idleTimeout);
    }

    public Bounds withUnfinishedBytes(long all, long ofAConnection) {
        return new Bounds(request, connections, new Unfinished(all, ofAConnection), requestTimeout, idleTimeout);
    }

    public Bounds withRequestTimeout(Duration requestTimeout) {
        return new Bounds(request, connections, unfinished, requestTimeout, idleTimeout);
    }

    public Bounds withIdleTimeout(Duration idleTimeout) {
        return new Bounds(request, connections, unfinished, requestTimeout, idleTimeout);
    }
}
