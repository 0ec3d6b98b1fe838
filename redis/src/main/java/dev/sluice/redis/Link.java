package dev.sluice.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A wire that is calm when Redis is not: every call is answered in time, and a Redis that does not answer is left alone.
 *
 * <pre>
 *            failures in a row
 *   closed ---------------------> open        every call fails at once
 *      ^                           |
 *      '---- a probe succeeds -----'          one ping at a time, on a thread of our own
 * </pre>
 *
 * <p>Why calls are swept and not timed one by one: all have the same patience, so those that are overdue are the oldest,
 * and one look at the head of a queue every few milliseconds does for all. Those that are done go at the same look, so
 * that what they hold does not live long.
 *
 * <p>Why the thread that sweeps does nothing else: whoever completes a call runs what its caller wants done next, and that
 * may take long, or ask again and wait for the sweep.
 */
final class Link implements AutoCloseable {
    /** Redis did not answer. Never thrown at callers of a limiter. */
    static final class Unavailable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unavailable(String message, @Nullable Throwable cause) {
            super(message, cause, false, false);
        }
    }

    /**
     * Redis is there and will not do it: it answered with an error, or one node of several is gone. That is known at once,
     * so there is nothing to spare callers, and Redis is asked again next time.
     */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refused(Throwable why) {
            super(why.toString(), why, false, false);
        }
    }

    /** One call, answered once. */
    private static final class Call extends AtomicBoolean {
        private static final long serialVersionUID = 1;

        private final long deadlineNanos;
        private final transient BiConsumer<byte @Nullable [], @Nullable Unavailable> then;

        Call(long deadlineNanos, BiConsumer<byte @Nullable [], @Nullable Unavailable> then) {
            this.deadlineNanos = deadlineNanos;
            this.then = then;
        }

        boolean isDone() {
            return get();
        }

        boolean complete(byte[] reply) {
            if (!compareAndSet(false, true)) {
                return false;
            }
            then.accept(reply, null);
            return true;
        }

        /** Counts first: what the caller does next may ask again. */
        boolean fail(Unavailable why, Runnable counted) {
            if (!compareAndSet(false, true)) {
                return false;
            }
            counted.run();
            then.accept(null, why);
            return true;
        }
    }

    private static final System.Logger LOG = System.getLogger(Link.class.getName());
    private static final byte[] NOTHING = {};
    private static final int FAILURES_TO_OPEN = 3;
    private static final long MOST_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PROBE_MILLIS = 100;
    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    @SuppressWarnings("StaticAssignmentOfThrowable") // it has no stack trace
    private static final Unavailable OPEN = new Unavailable("Redis is not being asked: it failed before", null);

    final LongAdder asked = new LongAdder();
    final LongAdder timeouts = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder timesOpened = new LongAdder();

    private final Supplier<Wire> connector;
    private final long timeoutNanos;
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, Link::thread);
    private final ExecutorService helpers = Executors.newCachedThreadPool(Link::thread);
    private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private final AtomicBoolean probing = new AtomicBoolean();
    private final AtomicBoolean connecting = new AtomicBoolean();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final AtomicLong warnAfterNanos = new AtomicLong(System.nanoTime());
    private volatile @Nullable Wire wire;
    private volatile long reconnectAtNanos;
    private volatile boolean open;
    private volatile boolean closed;

    /** A link over the wire that {@code connector} makes; it is made when it can be, and until then the link is open. */
    Link(Supplier<Wire> connector, Duration timeout) {
        this.connector = connector;
        this.timeoutNanos = timeout.toNanos();
        long sweepNanos = Math.max(TimeUnit.MILLISECONDS.toNanos(1), Math.min(timeoutNanos / 8, MOST_SWEEP_NANOS));
        clock.scheduleWithFixedDelay(this::sweep, sweepNanos, sweepNanos, TimeUnit.NANOSECONDS);
        try {
            this.wire = connector.get();
        } catch (RuntimeException e) {
            opened("cannot connect: " + e);
        }
    }

    /**
     * Runs a script. {@code then} is told the reply, or that Redis is not available: at once while it is given up on, and
     * in time always.
     */
    void run(Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Unavailable> then) {
        call((wire, reply) -> wire.run(script, keys, args, reply), then);
    }

    /** Forgets keys; done when Redis has, or cannot be told. */
    CompletableFuture<?> delete(String[] keys) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        call(
                (wire, reply) -> wire.delete(keys)
                        .whenComplete((count, failure) -> reply.accept(failure == null ? NOTHING : null, failure)),
                (nothing, failure) -> done.complete(failure == null));
        return done;
    }

    /** Whether a script may use any keys, as far as is known. */
    boolean isOneMaster() {
        Wire wire = this.wire;
        return wire != null && wire.isOneMaster();
    }

    boolean isOpen() {
        return open;
    }

    private void call(
            BiConsumer<Wire, BiConsumer<byte @Nullable [], @Nullable Throwable>> action,
            BiConsumer<byte @Nullable [], @Nullable Unavailable> then) {
        Wire wire = this.wire;
        if (open || wire == null) {
            then.accept(null, OPEN);
            return;
        }
        asked.increment();
        Call call = new Call(System.nanoTime() + timeoutNanos, then);
        try {
            action.accept(wire, (reply, failure) -> settle(call, reply, failure));
        } catch (RuntimeException e) {
            settle(call, null, e);
        }
        if (!call.isDone()) {
            calls.add(call);
        }
    }

    private void settle(Call call, byte @Nullable [] reply, @Nullable Throwable failure) {
        if (reply != null) {
            if (failuresInARow.get() != 0) {
                failuresInARow.set(0);
            }
            call.complete(reply);
        } else {
            call.fail(new Unavailable("Redis failed", failure), () -> {
                failures.increment();
                if (failure instanceof Refused) {
                    warn("Redis refuses: " + failure.getMessage());
                } else {
                    failed(
                            failure instanceof CompletionException wrapped && wrapped.getCause() != null
                                    ? wrapped.getCause()
                                    : failure);
                }
            });
        }
    }

    private void failed(@Nullable Throwable failure) {
        if (failuresInARow.incrementAndGet() >= FAILURES_TO_OPEN) {
            opened(String.valueOf(failure));
        }
    }

    private void opened(String why) {
        if (!closed && probing.compareAndSet(false, true)) {
            open = true;
            timesOpened.increment();
            reconnectAtNanos = System.nanoTime() + RECONNECT_NANOS;
            warn("Redis is given up on for now: " + why);
            later(this::probe);
        }
    }

    /** A trouble that comes and goes is told of now and then. */
    private void warn(String what) {
        long now = System.nanoTime();
        long after = warnAfterNanos.get();
        if (now - after >= 0 && warnAfterNanos.compareAndSet(after, now + WARN_EVERY_NANOS)) {
            warned.set(true);
            LOG.log(System.Logger.Level.WARNING, what);
        }
    }

    /** Ends the calls that are overdue. The oldest stand first. */
    private void sweep() {
        long now = System.nanoTime();
        while (true) {
            Call oldest = calls.peek();
            if (oldest == null || (!oldest.isDone() && oldest.deadlineNanos - now > 0)) {
                return;
            }
            calls.poll();
            if (!oldest.isDone()) {
                helpers.execute(() -> timedOut(oldest));
            }
        }
    }

    private void timedOut(Call call) {
        Unavailable late = new Unavailable("Redis did not answer in time", null);
        call.fail(late, () -> {
            timeouts.increment();
            failed(late);
        });
    }

    private void probe() {
        Wire wire = this.wire;
        if ((wire == null || System.nanoTime() - reconnectAtNanos > 0) && connecting.compareAndSet(false, true)) {
            helpers.execute(this::reconnect);
        }
        if (wire == null) {
            later(this::probe);
        } else {
            ping(wire);
        }
    }

    private void ping(Wire wire) {
        CompletionStage<?> pong;
        try {
            pong = wire.ping();
        } catch (RuntimeException e) {
            later(this::probe);
            return;
        }
        long patience = Math.max(PROBE_MILLIS, 2 * TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
        pong.toCompletableFuture().orTimeout(patience, TimeUnit.MILLISECONDS).whenComplete((unused, failure) -> {
            if (failure == null) {
                recovered();
            } else {
                later(this::probe);
            }
        });
    }

    /**
     * Makes another wire, in place of one that has been silent for long. Its connection may lead to a server that has lost
     * its power, or is no longer the master: nobody would ever tell.
     */
    private void reconnect() {
        reconnectAtNanos = System.nanoTime() + RECONNECT_NANOS;
        try {
            Wire fresh = connector.get();
            Wire spare = fresh;
            if (open) {
                spare = wire;
                wire = fresh;
            }
            if (spare != null) {
                spare.close();
            }
            if (closed) {
                fresh.close(); // if it was closed above, once more does no harm
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot connect", e);
        } finally {
            connecting.set(false);
        }
    }

    private void recovered() {
        failuresInARow.set(0);
        open = closed;
        probing.set(false);
        if (warned.compareAndSet(true, false)) {
            LOG.log(System.Logger.Level.INFO, "Redis answers again");
        }
    }

    private void later(Runnable action) {
        if (!closed) {
            clock.schedule(action, PROBE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void close() {
        closed = true;
        open = true;
        clock.shutdownNow();
        Wire wire = this.wire;
        if (wire != null) {
            wire.close();
        }
        for (Call call = calls.poll(); call != null; call = calls.poll()) {
            call.fail(new Unavailable("the store was closed", null), () -> {});
        }
        helpers.shutdown();
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "sluice-redis-link");
        thread.setDaemon(true);
        return thread;
    }
}
