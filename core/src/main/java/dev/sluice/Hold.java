package dev.sluice;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Permits held until this handle is closed. A denied hold holds nothing.
 *
 * <pre>{@code
 * try (Hold hold = uploads.hold("user:7")) {
 *     if (hold.allowed()) { ... }
 * }
 * }</pre>
 */
public final class Hold implements AutoCloseable {
    private final Limiter limiter;
    private final String key;
    private final Decision decision;
    private final AtomicBoolean closed = new AtomicBoolean();

    Hold(Limiter limiter, String key, Decision decision) {
        this.limiter = limiter;
        this.key = key;
        this.decision = decision;
    }

    /** Whether the permits were granted. */
    public boolean allowed() {
        return decision.allowed();
    }

    /** The decision on the request. */
    public Decision decision() {
        return decision;
    }

    /** Releases the permits of concurrency limits; those of rate limits stay taken. Closing again does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            limiter.release(key, decision);
        }
    }
}
