package dev.sluice.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
 * and one look at the head of a queue every few milliseconds does for all.
 */
final class Link implements AutoCloseable {
    /** Redis did not answer. Never thrown at callers of a limiter. */
    static final class Unavailable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unavailable(String message, @Nullable Throwable cause) {
            super(message, cause, false, false);
        }
    }

    private static final class Call extends CompletableFuture<List<Long>> {
        private final long deadlineNanos;

        Call(long deadlineNanos) {
            this.deadlineNanos = deadlineNanos;
        }
    }

    private static final System.Logger LOG = System.getLogger(Link.class.getName());
    private static final int FAILURES_TO_OPEN = 3;
    private static final long PROBE_MILLIS = 100;

    @SuppressWarnings("StaticAssignmentOfThrowable") // it has no stack trace
    private static final Unavailable OPEN = new Unavailable("Redis is not being asked: it failed before", null);

    final LongAdder asked = new LongAdder();
    final LongAdder timeouts = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder timesOpened = new LongAdder();

    private final Supplier<Wire> connector;
    private final ScheduledExecutorService executor;
    private final long timeoutNanos;
    private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private final AtomicBoolean probing = new AtomicBoolean();
    private volatile @Nullable Wire wire;
    private volatile boolean open;
    private volatile boolean closed;

    /** A link over the wire that {@code connector} makes; it is made when it can be, and until then the link is open. */
    Link(Supplier<Wire> connector, Duration timeout, ScheduledExecutorService executor) {
        this.connector = connector;
        this.executor = executor;
        this.timeoutNanos = timeout.toNanos();
        long sweepNanos = Math.max(TimeUnit.MILLISECONDS.toNanos(1), timeoutNanos / 8);
        executor.scheduleWithFixedDelay(this::sweep, sweepNanos, sweepNanos, TimeUnit.NANOSECONDS);
        try {
            this.wire = connector.get();
        } catch (RuntimeException e) {
            opened("cannot connect: " + e);
        }
    }

    /** Runs a script. Fails with {@link Unavailable}, at once while Redis is given up on, and in time always. */
    CompletableFuture<List<Long>> run(Script script, String[] keys, String[] args) {
        return call((wire, reply) -> wire.run(script, keys, args, reply));
    }

    /** Forgets keys. */
    CompletableFuture<List<Long>> delete(String[] keys) {
        return call((wire, reply) -> wire.delete(keys)
                .whenComplete((count, failure) -> reply.accept(failure == null ? List.of() : null, failure)));
    }

    boolean isOpen() {
        return open;
    }

    private CompletableFuture<List<Long>> call(
            BiConsumer<Wire, BiConsumer<@Nullable List<Long>, @Nullable Throwable>> action) {
        Wire wire = this.wire;
        if (open || wire == null) {
            return CompletableFuture.failedFuture(OPEN);
        }
        asked.increment();
        Call call = new Call(System.nanoTime() + timeoutNanos);
        try {
            action.accept(wire, (numbers, failure) -> settle(call, numbers, failure));
        } catch (RuntimeException e) {
            settle(call, null, e);
        }
        if (!call.isDone()) {
            calls.add(call);
        }
        return call;
    }

    private void settle(Call call, @Nullable List<Long> numbers, @Nullable Throwable failure) {
        if (numbers != null) {
            if (call.complete(numbers) && failuresInARow.get() != 0) {
                failuresInARow.set(0);
            }
        } else if (call.completeExceptionally(new Unavailable("Redis failed", failure))) {
            failures.increment();
            failed(
                    failure instanceof CompletionException wrapped && wrapped.getCause() != null
                            ? wrapped.getCause()
                            : failure);
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
            LOG.log(System.Logger.Level.WARNING, "Redis is given up on for now: {0}", why);
            later(this::probe);
        }
    }

    /** Ends the calls that are overdue. The oldest stand first. */
    private void sweep() {
        long now = System.nanoTime();
        for (Call call = calls.peek(); call != null; call = calls.peek()) {
            if (!call.isDone()) {
                if (call.deadlineNanos - now > 0) {
                    return;
                }
                if (call.completeExceptionally(new Unavailable("Redis did not answer in time", null))) {
                    timeouts.increment();
                    failed(new Unavailable("Redis did not answer in time", null));
                }
            }
            calls.poll();
        }
    }

    private void probe() {
        try {
            Wire wire = this.wire;
            if (wire == null) {
                wire = connector.get();
                this.wire = wire;
            }
            wire.ping()
                    .toCompletableFuture()
                    .orTimeout(
                            Math.max(PROBE_MILLIS, 2 * TimeUnit.NANOSECONDS.toMillis(timeoutNanos)),
                            TimeUnit.MILLISECONDS)
                    .whenComplete((pong, failure) -> {
                        if (failure == null) {
                            recovered();
                        } else {
                            later(this::probe);
                        }
                    });
        } catch (RuntimeException e) {
            later(this::probe);
        }
    }

    private void recovered() {
        failuresInARow.set(0);
        open = false;
        probing.set(false);
        LOG.log(System.Logger.Level.INFO, "Redis answers again");
    }

    private void later(Runnable action) {
        if (!closed) {
            executor.schedule(action, PROBE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void close() {
        closed = true;
        open = true;
        Wire wire = this.wire;
        if (wire != null) {
            wire.close();
        }
        for (Call call = calls.poll(); call != null; call = calls.poll()) {
            call.completeExceptionally(new Unavailable("the store was closed", null));
        }
    }
}
