package dev.sluice.redis.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Decides whether Redis is called, and logs when that changes.
 *
 * <pre>
 *            3 failures in a row
 *   closed ----------------------> open        every call fails at once
 *      ^                            |
 *      '----- a probe succeeds -----'
 * </pre>
 */
final class CircuitBreaker {
    private enum State {
        CLOSED,
        OPEN,
        /** Open for good: the store was closed. */
        SHUT_DOWN
    }

    private static final System.Logger LOG = System.getLogger(CircuitBreaker.class.getName());
    private static final int FAILURES_TO_OPEN = 3;
    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Runnable startProbing;
    private final AtomicReference<State> state = new AtomicReference<>(State.CLOSED);
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private final LongAdder timesOpened = new LongAdder();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final AtomicLong warnAfterNanos = new AtomicLong(System.nanoTime());

    /** Calls {@code startProbing} each time it opens. A probe that succeeds calls {@link #close}. */
    CircuitBreaker(Runnable startProbing) {
        this.startProbing = startProbing;
    }

    boolean isOpen() {
        return state.get() != State.CLOSED;
    }

    boolean isShutDown() {
        return state.get() == State.SHUT_DOWN;
    }

    long timesOpened() {
        return timesOpened.sum();
    }

    void succeeded() {
        if (failuresInARow.get() != 0) {
            failuresInARow.set(0);
        }
    }

    void failed(String reason) {
        if (failuresInARow.incrementAndGet() >= FAILURES_TO_OPEN) {
            open(reason);
        }
    }

    void open(String reason) {
        if (state.compareAndSet(State.CLOSED, State.OPEN)) {
            timesOpened.increment();
            warn("Redis is not called for now: " + reason);
            startProbing.run();
        }
    }

    void close() {
        failuresInARow.set(0);
        state.compareAndSet(State.OPEN, State.CLOSED);
        if (warned.compareAndSet(true, false)) {
            LOG.log(System.Logger.Level.INFO, "Redis answers again");
        }
    }

    void shutDown() {
        state.set(State.SHUT_DOWN);
    }

    /** Logs a warning, at most one in ten seconds. */
    void warn(String message) {
        long now = System.nanoTime();
        long after = warnAfterNanos.get();
        if (now - after >= 0 && warnAfterNanos.compareAndSet(after, now + WARN_EVERY_NANOS)) {
            warned.set(true);
            LOG.log(System.Logger.Level.WARNING, message);
        }
    }
}
