package dev.sluice.redis.client;

import dev.sluice.redis.script.Script;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection with a timeout, a circuit breaker for each master, and a bound on the calls under way. It heals by itself.
 *
 * <p>Every call ends once: with a reply, by a {@link Failure}, at its deadline, or when the connection is closed. While a
 * breaker is open, its master is pinged; a master that stays silent, or that a failure says is not the one, is a reason to
 * {@linkplain Reconnection replace} the connection.
 */
public final class ResilientConnection implements AutoCloseable {
    /** What the circuit breaker of a master lets through. */
    public enum BreakerState {
        CLOSED,
        OPEN,
        /** The next call, or the one under way, decides whether it closes. */
        HALF_OPEN
    }

    /**
     * How the calls of a connection went.
     *
     * @param calls calls that were sent
     * @param timeouts calls without a reply in time
     * @param failures calls that failed otherwise
     * @param late replies that came after the timeout
     * @param refusals calls that were not sent because too many were under way
     * @param reconnects connections that were made in place of an earlier one
     * @param timesOpened how often a circuit breaker opened
     * @param open whether one is open now, or there is no connection
     * @param breakers the state of the circuit breaker of each master that was called
     */
    public record Counters(
            long calls,
            long timeouts,
            long failures,
            long late,
            long refusals,
            long reconnects,
            long timesOpened,
            boolean open,
            Map<String, BreakerState> breakers) {}

    /** A master, as far as it concerns calls to it. Only the timer changes the fields. */
    private static final class Master {
        private final CircuitBreaker breaker = new CircuitBreaker(System.nanoTime());
        private final AtomicBoolean isPinged = new AtomicBoolean();
        private volatile long pingedAtNanos;
        /** When a ping last ended, or the breaker opened. */
        private volatile long heardAtNanos;
        /** When a ping was last answered, or the breaker opened. */
        private volatile long answeredAtNanos;
    }

    /** One call; completed once. */
    private final class Call extends AtomicBoolean
            implements Deadlines.Call, BiConsumer<byte @Nullable [], @Nullable Throwable> {
        private static final long serialVersionUID = 1;

        private final long deadlineNanos = System.nanoTime() + timeoutNanos;
        private final transient Master master;
        private final transient CircuitBreaker.State began;
        private final transient Consumer<byte @Nullable []> then;

        Call(Master master, CircuitBreaker.State began, Consumer<byte @Nullable []> then) {
            this.master = master;
            this.began = began;
            this.then = then;
        }

        @Override
        public boolean isDone() {
            return get();
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        private boolean isFirst() {
            if (!compareAndSet(false, true)) {
                return false;
            }
            underWay.decrementAndGet();
            return true;
        }

        @Override
        public void accept(byte @Nullable [] reply, @Nullable Throwable failure) {
            if (!isFirst()) {
                if (reply != null) {
                    late.increment();
                }
            } else if (reply != null) {
                replied(reply);
            } else {
                failures.increment();
                Throwable cause = failure == null ? new IllegalStateException("no reply and no failure") : failure;
                react(master, began, Failure.of(cause), String.valueOf(cause));
                end(then);
            }
        }

        /** The breaker learns of it first: the continuation may make another call. */
        private void replied(byte[] reply) {
            if (master.breaker.succeeded(began, System.nanoTime())) {
                log.answersAgain();
            }
            try {
                then.accept(reply);
            } catch (RuntimeException | Error unreadable) {
                failures.increment();
                react(master, began, Failure.NONSENSE, "a reply of " + reply.length + " bytes: " + unreadable);
                end(then);
            }
        }

        @Override
        public void timeOut() {
            if (isFirst()) {
                timeouts.increment();
                long millis = TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
                react(master, began, Failure.NO_REPLY, "no reply within " + millis + " ms");
                end(then);
            }
        }

        @Override
        public void abandon() {
            if (isFirst()) {
                end(then);
            }
        }
    }

    static final long TEND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final System.Logger LOG = System.getLogger(ResilientConnection.class.getName());
    private static final byte[] EMPTY = {};
    /** How long to wait for a ping on top of the timeout, before the connection is taken for dead. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final long MAX_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long the client may take to connect again by itself. */
    private static final long MAX_FAILING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long MAX_FAILING_OF_CLUSTER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final long timeoutNanos;
    private final long maxSilenceNanos;
    private final int maxUnderWay;
    private final ConnectionLog log = new ConnectionLog();
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, threads("sluice-redis-connection"));
    private final Deadlines deadlines;
    private final Reconnection link;
    private final ConcurrentHashMap<String, Master> masters = new ConcurrentHashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final LongAdder calls = new LongAdder();
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder timesOpened = new LongAdder();
    private volatile @Nullable Master some;
    private volatile boolean closed;

    /**
     * Connects with {@code connector}. If that fails, calls fail until a later attempt succeeds.
     *
     * @param timeout how long a call waits for its reply
     * @param maxUnderWay how many calls may wait at the same time
     */
    public ResilientConnection(Connector connector, Duration timeout, int maxUnderWay) {
        this.timeoutNanos = timeout.toNanos();
        this.maxSilenceNanos = Math.min(timeoutNanos + SILENCE_NANOS, MAX_SILENCE_NANOS);
        this.maxUnderWay = maxUnderWay;
        this.deadlines = new Deadlines(timer, timeoutNanos);
        this.link = new Reconnection(connector, log, timeoutNanos);
        timer.scheduleWithFixedDelay(this::tend, TEND_NANOS, TEND_NANOS, TimeUnit.NANOSECONDS);
    }

    // ---- Calls

    /**
     * Runs a script. {@code then} gets the reply, or null if there is none in time; at once while the breaker is open. If it
     * throws on a reply, that was nonsense, and it gets null.
     *
     * @return whether the script was sent
     */
    public boolean run(Script script, String[] keys, byte[][] args, Consumer<byte @Nullable []> then) {
        return call(keys, then, (connection, call) -> connection.run(script, keys, args, call));
    }

    /** Deletes keys. The future completes when Redis has deleted them, or with false if it cannot be reached. */
    public CompletableFuture<Boolean> delete(String[] keys) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        call(
                keys,
                reply -> done.complete(reply != null),
                (connection, call) -> connection
                        .delete(keys)
                        .whenComplete((count, failure) -> call.accept(failure == null ? EMPTY : null, failure)));
        return done;
    }

    private boolean call(String[] keys, Consumer<byte @Nullable []> then, BiConsumer<RedisConnection, Call> send) {
        RedisConnection connection = link.connection();
        Call call = connection == null || closed ? null : begin(connection, keys[0], then);
        if (connection == null || call == null) {
            end(then);
            return false;
        }
        try {
            send.accept(connection, call);
        } catch (RuntimeException e) {
            call.accept(null, e);
        }
        deadlines.add(call);
        return true;
    }

    /** A call that may be sent, or null. */
    private @Nullable Call begin(RedisConnection connection, String key, Consumer<byte @Nullable []> then) {
        if (underWay.incrementAndGet() > maxUnderWay) {
            underWay.decrementAndGet();
            refusals.increment();
            log.warn("more than " + maxUnderWay + " calls to Redis are under way: the failure policy decides the rest");
            return null;
        }
        Master master = master(connection.masterOf(key));
        CircuitBreaker.State began = master.breaker.admit();
        if (began == null) {
            underWay.decrementAndGet();
            return null;
        }
        calls.increment();
        return new Call(master, began, then);
    }

    private Master master(String name) {
        Master known = masters.get(name);
        if (known == null) {
            known = masters.computeIfAbsent(name, unused -> new Master());
            some = known;
        }
        return known;
    }

    /** Tells a caller that there is no reply. */
    private static void end(Consumer<byte @Nullable []> then) {
        try {
            then.accept(null);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the failure policy failed", e);
        }
    }

    /** Does what the table of {@link Failure} says. */
    private void react(Master master, CircuitBreaker.State began, Failure failure, String reason) {
        long now = System.nanoTime();
        if (failure.breaker() == Failure.Breaker.UNCHANGED) {
            master.breaker.succeeded(began, now); // it answers
            log.warn("Redis refuses a call: " + reason);
        } else if (master.breaker.failed(began, failure.breaker(), now)) {
            master.heardAtNanos = now;
            master.answeredAtNanos = now;
            timesOpened.increment();
            log.warn("Redis is not called for now: " + reason);
        }
        RedisConnection connection = link.connection();
        if (failure.link() == Failure.Link.REPLACED) {
            link.replace();
        }
        if (failure.link() != Failure.Link.KEPT && connection != null) {
            connection.refresh();
        }
    }

    // ---- State

    /** Whether one script may use any keys; false while that is not known. */
    public boolean isOneMaster() {
        RedisConnection connection = link.connection();
        return connection != null && connection.isOneMaster();
    }

    /** Whether every call would fail at once: no master may be called. */
    public boolean isOpen() {
        if (closed || link.connection() == null) {
            return true;
        }
        Master some = this.some;
        if (some == null || !some.breaker.isRefusing()) {
            return false; // the usual case, at the cost of a look at one breaker
        }
        for (Master master : masters.values()) {
            if (!master.breaker.isRefusing()) {
                return false;
            }
        }
        RedisConnection connection = link.connection();
        return connection != null && masters.keySet().containsAll(connection.masters());
    }

    public Counters counters() {
        Map<String, BreakerState> breakers = new TreeMap<>();
        masters.forEach((name, master) -> breakers.put(
                name,
                switch (master.breaker.phase()) {
                    case CLOSED -> BreakerState.CLOSED;
                    case OPEN -> BreakerState.OPEN;
                    case HALF_OPEN, PROBING -> BreakerState.HALF_OPEN;
                }));
        return new Counters(
                calls.sum(),
                timeouts.sum(),
                failures.sum(),
                late.sum(),
                refusals.sum(),
                link.reconnects(),
                timesOpened.sum() + link.failedStarts(),
                closed || link.connection() == null || breakers.containsValue(BreakerState.OPEN),
                breakers);
    }

    // ---- Healing

    /** Looks after everything that is not well, from time to time. */
    private void tend() {
        try {
            RedisConnection connection = link.connection();
            if (connection == null) {
                link.replace();
                return;
            }
            masters.forEach((name, master) -> {
                if (master.breaker.phase() == CircuitBreaker.Phase.OPEN) {
                    tend(connection, name, master);
                }
            });
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot look after the connection", e);
        }
    }

    private void tend(RedisConnection connection, String name, Master master) {
        long now = System.nanoTime();
        if (!connection.masters().contains(name)) {
            connection.refresh();
            masters.remove(name, master); // another has its slots
            return;
        }
        if (link.isNewSince(master.breaker.state().sinceNanos())
                && connection.masters().size() == 1) {
            master.breaker.halfOpen(); // it has just been connected to
            return;
        }
        long maxFailing = connection.masters().size() == 1 ? MAX_FAILING_NANOS : MAX_FAILING_OF_CLUSTER_NANOS;
        if (now - master.heardAtNanos > maxSilenceNanos || now - master.answeredAtNanos > maxFailing) {
            link.replace();
        }
        boolean mayPing = !master.isPinged.get() || now - master.pingedAtNanos > Math.max(timeoutNanos, 2 * TEND_NANOS);
        if (master.breaker.isDue(now) && mayPing) {
            ping(connection, name, master, now);
        }
    }

    private void ping(RedisConnection connection, String name, Master master, long now) {
        master.isPinged.set(true);
        master.pingedAtNanos = now;
        connection.refresh();
        CompletionStage<?> pong;
        try {
            pong = connection.ping(name);
        } catch (RuntimeException e) {
            pong = CompletableFuture.failedFuture(e);
        }
        pong.whenComplete((answer, failure) -> {
            long answered = System.nanoTime();
            master.isPinged.set(false);
            master.heardAtNanos = answered;
            if (failure == null) {
                master.answeredAtNanos = answered;
                if (answered - now <= timeoutNanos) {
                    master.breaker.halfOpen();
                }
            }
        });
    }

    /** Ends every call at once; later ones end as they begin. */
    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        deadlines.close();
        link.close();
    }

    static ThreadFactory threads(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
