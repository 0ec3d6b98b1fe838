package dev.sluice.redis.client;

import dev.sluice.redis.script.Script;
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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection with a timeout and a circuit breaker. It reconnects by itself.
 *
 * <p>Why one queue for all deadlines and not a timer for each call: all calls have the same timeout, so the oldest call is
 * the first that can be overdue. Every few milliseconds a sweep looks at the head of the queue. The sweep also removes
 * calls that are done, so that their objects do not live long.
 *
 * <p>Why the sweeping thread does nothing else: the thread that completes a call runs its continuation, which may take
 * long, or may make another call that waits for the sweep.
 */
public final class ResilientConnection implements AutoCloseable {
    /**
     * How the calls of a connection went.
     *
     * @param calls calls that were sent
     * @param timeouts calls without a reply in time
     * @param failures calls that failed otherwise
     * @param timesOpened how often the circuit breaker opened
     * @param open whether it is open now
     */
    public record Counters(long calls, long timeouts, long failures, long timesOpened, boolean open) {}

    /** One call, completed once: with a reply, by a failure, at its deadline, or when the connection is closed. */
    private final class Call extends AtomicBoolean implements BiConsumer<byte @Nullable [], @Nullable Throwable> {
        private static final long serialVersionUID = 1;

        private final long deadlineNanos = System.nanoTime() + timeoutNanos;
        private final transient Consumer<byte @Nullable []> then;

        Call(Consumer<byte @Nullable []> then) {
            this.then = then;
        }

        boolean isDone() {
            return get();
        }

        @Override
        public void accept(byte @Nullable [] reply, @Nullable Throwable failure) {
            if (reply != null) {
                breaker.succeeded();
            }
            if (compareAndSet(false, true)) {
                if (reply == null) {
                    count(failure); // first: the caller's continuation may make another call
                }
                then.accept(reply);
            }
        }

        void timeOut() {
            if (compareAndSet(false, true)) {
                timeouts.increment();
                breaker.failed("no reply within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms");
                then.accept(null);
            }
        }

        void abandon() {
            if (compareAndSet(false, true)) {
                then.accept(null);
            }
        }
    }

    private static final System.Logger LOG = System.getLogger(ResilientConnection.class.getName());
    private static final byte[] EMPTY = {};
    private static final long MAX_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PROBE_MILLIS = 100;
    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<RedisConnection> connector;
    private final long timeoutNanos;
    private final CircuitBreaker breaker = new CircuitBreaker(this::startProbing);
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, ResilientConnection::thread);
    private final ExecutorService workers = Executors.newCachedThreadPool(ResilientConnection::thread);
    private final ConcurrentLinkedQueue<Call> pending = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean connecting = new AtomicBoolean();
    private final LongAdder calls = new LongAdder();
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private volatile @Nullable RedisConnection connection;
    private volatile long reconnectAtNanos;

    /** Connects with {@code connector}. If that fails the breaker is open until a later attempt succeeds. */
    public ResilientConnection(Supplier<RedisConnection> connector, Duration timeout) {
        this.connector = connector;
        this.timeoutNanos = timeout.toNanos();
        long sweepNanos = Math.max(TimeUnit.MILLISECONDS.toNanos(1), Math.min(timeoutNanos / 8, MAX_SWEEP_NANOS));
        timer.scheduleWithFixedDelay(this::sweep, sweepNanos, sweepNanos, TimeUnit.NANOSECONDS);
        try {
            this.connection = connector.get();
        } catch (RuntimeException e) {
            breaker.open("cannot connect: " + e);
        }
    }

    /**
     * Runs a script. {@code then} gets the reply, or null if there is none in time; at once while the breaker is open.
     */
    public void run(Script script, String[] keys, byte[][] args, Consumer<byte @Nullable []> then) {
        RedisConnection connection = this.connection;
        if (connection == null || breaker.isOpen()) {
            then.accept(null);
            return;
        }
        Call call = begin(then);
        try {
            connection.run(script, keys, args, call);
        } catch (RuntimeException e) {
            call.accept(null, e);
        }
        awaitReply(call);
    }

    /** Deletes keys. The future completes when Redis has deleted them, or with false if it cannot be reached. */
    public CompletableFuture<Boolean> delete(String[] keys) {
        RedisConnection connection = this.connection;
        if (connection == null || breaker.isOpen()) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        Call call = begin(reply -> done.complete(reply != null));
        try {
            connection
                    .delete(keys)
                    .whenComplete((count, failure) -> call.accept(failure == null ? EMPTY : null, failure));
        } catch (RuntimeException e) {
            call.accept(null, e);
        }
        awaitReply(call);
        return done;
    }

    /** Whether one script may use keys of different slots; false while that is not known. */
    public boolean isOneMaster() {
        RedisConnection connection = this.connection;
        return connection != null && connection.isOneMaster();
    }

    /** Whether the circuit breaker is open, so that calls fail at once. */
    public boolean isOpen() {
        return breaker.isOpen();
    }

    public Counters counters() {
        return new Counters(calls.sum(), timeouts.sum(), failures.sum(), breaker.timesOpened(), breaker.isOpen());
    }

    private Call begin(Consumer<byte @Nullable []> then) {
        calls.increment();
        return new Call(then);
    }

    private void awaitReply(Call call) {
        if (!call.isDone()) {
            pending.add(call);
        }
    }

    private void count(@Nullable Throwable failure) {
        failures.increment();
        if (failure instanceof RedisConnection.RefusedException) {
            breaker.warn("Redis refuses: " + failure.getMessage());
        } else {
            breaker.failed(String.valueOf(
                    failure instanceof CompletionException wrapped && wrapped.getCause() != null
                            ? wrapped.getCause()
                            : failure));
        }
    }

    /** Ends the calls that are overdue; the oldest are first. */
    private void sweep() {
        long now = System.nanoTime();
        while (true) {
            Call oldest = pending.peek();
            if (oldest == null || (!oldest.isDone() && oldest.deadlineNanos - now > 0)) {
                return;
            }
            pending.poll();
            if (!oldest.isDone()) {
                workers.execute(oldest::timeOut);
            }
        }
    }

    // ---- Probing and reconnecting, while the breaker is open

    private void startProbing() {
        reconnectAtNanos = System.nanoTime() + RECONNECT_NANOS;
        probeLater();
    }

    private void probeLater() {
        if (!breaker.isShutDown()) {
            timer.schedule(this::probe, PROBE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void probe() {
        RedisConnection connection = this.connection;
        if ((connection == null || System.nanoTime() - reconnectAtNanos > 0) && connecting.compareAndSet(false, true)) {
            workers.execute(this::reconnect);
        }
        if (connection == null) {
            probeLater();
        } else {
            ping(connection);
        }
    }

    private void ping(RedisConnection connection) {
        CompletionStage<?> pong;
        try {
            pong = connection.ping();
        } catch (RuntimeException e) {
            probeLater();
            return;
        }
        long pingMillis = Math.max(PROBE_MILLIS, 2 * TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
        pong.toCompletableFuture().orTimeout(pingMillis, TimeUnit.MILLISECONDS).whenComplete((unused, failure) -> {
            if (failure == null) {
                breaker.close();
            } else {
                probeLater();
            }
        });
    }

    /**
     * Replaces a connection that has been silent for a second. It may lead to a server that lost its power or is no longer
     * the master, and such a connection does not break by itself.
     */
    private void reconnect() {
        reconnectAtNanos = System.nanoTime() + RECONNECT_NANOS;
        try {
            RedisConnection fresh = connector.get();
            RedisConnection unused = fresh;
            if (breaker.isOpen()) {
                unused = connection;
                connection = fresh;
            }
            if (unused != null) {
                unused.close();
            }
            if (breaker.isShutDown()) {
                fresh.close(); // closing it twice does no harm
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot connect", e);
        } finally {
            connecting.set(false);
        }
    }

    @Override
    public void close() {
        breaker.shutDown();
        timer.shutdownNow();
        RedisConnection connection = this.connection;
        if (connection != null) {
            connection.close();
        }
        for (Call call = pending.poll(); call != null; call = pending.poll()) {
            call.abandon();
        }
        workers.shutdown();
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "sluice-redis-connection");
        thread.setDaemon(true);
        return thread;
    }
}
