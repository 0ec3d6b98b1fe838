package dev.sluice.server.web;

import io.vertx.core.http.HttpConnection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The memory of bodies that are not complete yet: of one connection, and of all together. All ports share one.
 *
 * <p>A body that would take its connection past the first bound is refused, and the connection is closed. When all bodies
 * together reach the second bound, the connection with the most of them is closed. Why that one: a client that sends what it
 * announces has a few kilobytes under way, so a flood of unfinished bodies ends its own connections and not those of others.
 *
 * <p>A body counts with its bytes and with {@link #OVERHEAD} for what else its request takes, so that many empty ones count
 * too.
 */
public final class BodyBudget {
    /** What a request takes beside its body: its head, its stream, its timer. */
    static final int OVERHEAD = 8 << 10;

    private final long maxBytes;
    private final long maxConnectionBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final LongAdder refused = new LongAdder();
    private final Map<HttpConnection, Long> byConnection = new ConcurrentHashMap<>();

    public BodyBudget(Bounds bounds) {
        this(bounds.unfinished().bytes(), bounds.unfinished().connectionBytes());
    }

    BodyBudget(long maxBytes, long maxConnectionBytes) {
        this.maxBytes = maxBytes;
        this.maxConnectionBytes = maxConnectionBytes;
    }

    /** The bytes of unfinished bodies now. */
    public long bytes() {
        return bytes.get();
    }

    /** The most bytes of unfinished bodies. */
    public long maxBytes() {
        return maxBytes;
    }

    /** How often there was no memory for a part of a body, so that a connection was closed. */
    public long refused() {
        return refused.sum();
    }

    /** Takes bytes for a body of a connection; false if it must be refused and the connection closed. */
    boolean take(HttpConnection connection, long more) {
        long own = byConnection.merge(connection, more, Long::sum);
        long all = bytes.addAndGet(more);
        if (own > maxConnectionBytes) {
            refused.increment();
            return false;
        }
        return all <= maxBytes || closeLargest(connection);
    }

    /** Gives back what a body of a connection took. */
    void release(HttpConnection connection, long taken) {
        bytes.addAndGet(-taken);
        byConnection.computeIfPresent(connection, (unused, own) -> own == taken ? null : own - taken);
    }

    /** Closes the connection with the most bytes; false if that is this one, which is for the caller to close. */
    private boolean closeLargest(HttpConnection asking) {
        HttpConnection largest = asking;
        long most = byConnection.getOrDefault(asking, 0L);
        for (Map.Entry<HttpConnection, Long> each : byConnection.entrySet()) {
            if (each.getValue() > most) {
                largest = each.getKey();
                most = each.getValue();
            }
        }
        refused.increment();
        if (largest == asking) {
            return false;
        }
        largest.close();
        return true;
    }
}
