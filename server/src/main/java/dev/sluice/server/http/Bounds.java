package dev.sluice.server.http;

import java.time.Duration;

/**
 * How much one request, one client and all of them may ask for. What is over is refused with a message that names the
 * bound.
 *
 * @param bodyBytes the longest body
 * @param headerBytes all header fields of one request
 * @param lineBytes the request line, and so the longest path and query
 * @param batch how many checks one list may hold
 * @param connections how many connections at once
 * @param leases how many leases at once
 * @param patience how long a client may take to send a request it has begun
 * @param idle how long a connection may do nothing
 */
public record Bounds(
        int bodyBytes,
        int headerBytes,
        int lineBytes,
        int batch,
        int connections,
        int leases,
        Duration patience,
        Duration idle) {
    /** What the server takes unless told otherwise. */
    public static final Bounds USUAL = new Bounds(
            1 << 20, 16 << 10, 8 << 10, 1000, 10_000, 100_000, Duration.ofSeconds(10), Duration.ofSeconds(75));

    public Bounds withConnections(int connections) {
        return new Bounds(bodyBytes, headerBytes, lineBytes, batch, connections, leases, patience, idle);
    }

    public Bounds withLeases(int leases) {
        return new Bounds(bodyBytes, headerBytes, lineBytes, batch, connections, leases, patience, idle);
    }

    public Bounds withPatience(Duration patience) {
        return new Bounds(bodyBytes, headerBytes, lineBytes, batch, connections, leases, patience, idle);
    }
}
