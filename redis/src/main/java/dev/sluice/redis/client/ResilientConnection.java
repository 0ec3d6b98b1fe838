package dev.sluice.redis.client;

import dev.sluice.redis.script.Script;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection with a timeout, a circuit breaker for each master, and a bound on the calls under way. It heals by itself.
 *
 * <p>Every call ends once: with a reply, by a {@link Failure}, at its deadline, or when the connection is closed.
 * {@link Deadlines} ends those that are overdue, {@link Masters} looks after masters that are not well, and
 * {@link Reconnection} replaces the connection where that is the remedy.
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
     * @param underWay calls that wait for their reply now
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
            long underWay,
            long reconnects,
            long timesOpened,
            boolean open,
            Map<String, BreakerState> breakers) {}

    /** Gets the reply to a call. */
    @FunctionalInterface
    public interface Receiver {
        /** The reply, or null if there is none in time. */
        void replied(byte @Nullable [] reply);

        /** The reply of a call that has been given up: what it did can be undone. */
        default void repliedLate(byte[] reply) {}
    }

    /** One call; completed once. */
    private final class Call extends AtomicBoolean
            implements Deadlines.Call, BiConsumer<byte @Nullable [], @Nullable Throwable> {
        private static final long serialVersionUID = 1;

        private final long deadlineNanos = System.nanoTime() + timeoutNanos;
        private final transient RedisConnection connection;
        private final transient Masters.Master master;
        private final transient CircuitBreaker.State began;
        private final transient IntSupplier unanswered;
        private final transient Receiver then;

        Call(
                RedisConnection connection,
                Masters.Master master,
                CircuitBreaker.State began,
                IntSupplier unanswered,
                Receiver then) {
            this.connection = connection;
            this.master = master;
            this.began = began;
            this.unanswered = unanswered;
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
                    if (!master.isDistrusted(began)) {
                        repliedLate(reply);
                    }
                }
            } else if (reply != null) {
                replied(reply);
            } else {
                failures.increment();
                Throwable cause = failure == null ? new IllegalStateException("no reply and no failure") : failure;
                endBy(Failure.of(cause), String.valueOf(cause));
            }
        }

        /** The breaker learns of it first: the continuation may make another call. */
        private void replied(byte[] reply) {
            if (master.isDistrusted(began)) {
                failures.increment();
                end(then);
                return;
            }
            CircuitBreaker breaker = master.breaker();
            if (!breaker.isCalmSince(began) && breaker.succeeded(began, System.nanoTime())) {
                log.answersAgain();
            }
            try {
                then.replied(reply);
            } catch (RuntimeException | Error unreadable) {
                failures.increment();
                boolean isTooShort = unreadable instanceof IndexOutOfBoundsException;
                endBy(
                        isTooShort ? Failure.NONSENSE : Failure.REFUSED,
                        "a reply of " + reply.length + " bytes cannot be read: " + unreadable);
            }
        }

        private void repliedLate(byte[] reply) {
            try {
                then.repliedLate(reply);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "what a late call did could not be undone", e);
            }
        }

        /** Tells the caller in any case. */
        private void endBy(Failure failure, String reason) {
            try {
                react(this, failure, reason);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a failure could not be handled", e);
            } finally {
                end(then);
            }
        }

        @Override
        public void timeOut() {
            if (isFirst()) {
                timeouts.increment();
                long millis = TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
                endBy(Failure.NO_REPLY, "no reply within " + millis + " ms");
            }
        }

        @Override
        public void abandon() {
            if (isFirst()) {
                end(then);
            }
        }
    }

    private static final System.Logger LOG = System.getLogger(ResilientConnection.class.getName());
    /** Of a call for one request. */
    public static final IntSupplier ONE = () -> 1;

    private static final byte[] EMPTY = {};

    private final long timeoutNanos;
    private final int maxUnderWay;
    private final ConnectionLog log;
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, threads("sluice-redis-connection"));
    private final Deadlines deadlines;
    private final Reconnection link;
    private final Masters masters;
    private final AtomicInteger underWay = new AtomicInteger();
    private final LongAdder calls = new LongAdder();
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder timesOpened = new LongAdder();
    private volatile boolean closed;

    /**
     * Connects with {@code connector}. If that fails, calls fail until a later attempt succeeds.
     *
     * @param timeout how long a call waits for its reply
     * @param maxUnderWay how many calls may wait at the same time
     */
    public ResilientConnection(Connector connector, Duration timeout, int maxUnderWay) {
        this(connector, timeout, maxUnderWay, System.Logger.Level.WARNING);
    }

    private ResilientConnection(Connector connector, Duration timeout, int maxUnderWay, System.Logger.Level level) {
        this.log = new ConnectionLog(level);
        this.timeoutNanos = timeout.toNanos();
        this.maxUnderWay = maxUnderWay;
        this.deadlines = new Deadlines(timer, timeoutNanos);
        this.link = new Reconnection(connector, log, timeoutNanos);
        this.masters = new Masters(link, timer, timeoutNanos);
    }

    /** Calls on a connection that another will use: end with {@link #detach}. What fails is no warning. */
    public static ResilientConnection onTrial(RedisConnection connection, Duration timeout, int maxUnderWay) {
        return new ResilientConnection(patience -> connection, timeout, maxUnderWay, System.Logger.Level.DEBUG);
    }

    // ---- Calls

    /**
     * Runs a script. {@code then} gets the reply, or null if there is none in time; at once while the breaker is open. If it
     * throws on a reply, it gets null too. An {@link IndexOutOfBoundsException} says that the reply was too short for the
     * script, and so is nonsense.
     *
     * @param unanswered how many requests go without an answer if this call does, each of which counts for the breaker
     * @return whether the script was sent
     */
    public boolean run(Script script, String[] keys, byte[][] args, IntSupplier unanswered, Receiver then) {
        Call call = begin(keys[0], unanswered, then);
        if (call == null) {
            end(then);
            return false;
        }
        try {
            deadlines.add(call);
            call.connection.run(script, keys, args, call);
        } catch (RuntimeException | Error e) {
            call.accept(null, e);
        }
        return true;
    }

    /** Deletes keys. The future completes when Redis has deleted them, or with false if it cannot be reached. */
    public CompletableFuture<Boolean> delete(String[] keys) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        Call call = begin(keys[0], ONE, reply -> done.complete(reply != null));
        if (call == null) {
            done.complete(false);
            return done;
        }
        try {
            deadlines.add(call);
            call.connection
                    .delete(keys)
                    .whenComplete((count, failure) -> call.accept(failure == null ? EMPTY : null, failure));
        } catch (RuntimeException | Error e) {
            call.accept(null, e);
        }
        return done;
    }

    /** A call that may be sent, or null. */
    private @Nullable Call begin(String key, IntSupplier unanswered, Receiver then) {
        RedisConnection connection = link.connection();
        if (connection == null || closed) {
            return null;
        }
        if (underWay.incrementAndGet() > maxUnderWay) {
            underWay.decrementAndGet();
            refusals.increment();
            log.warn("more than " + maxUnderWay + " calls to Redis are under way: the failure policy decides the rest");
            return null;
        }
        Call call = null;
        try {
            Masters.Master master = masters.of(connection.masterOf(key));
            CircuitBreaker.State began = master.breaker().admit();
            if (began != null) {
                calls.increment();
                call = new Call(connection, master, began, unanswered, then);
            }
        } catch (RuntimeException e) {
            log.warn("Redis is not called: its master is not known: " + e);
        } finally {
            if (call == null) {
                underWay.decrementAndGet();
            }
        }
        return call;
    }

    /** Tells a caller that there is no reply. */
    private static void end(Receiver then) {
        try {
            then.replied(null);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the failure policy failed", e);
        }
    }

    /** Does what the table of {@link Failure} says. */
    private void react(Call call, Failure failure, String reason) {
        long now = System.nanoTime();
        if (failure.breaker() == Failure.Breaker.UNCHANGED) {
            call.master.breaker().succeeded(call.began, now); // it answers
            log.warnOfCall("Redis refuses a call: " + reason);
        } else if (call.master.failed(call.began, failure.breaker(), call.unanswered.getAsInt(), now)) {
            timesOpened.increment();
            log.warn("Redis is not called for now: " + reason);
        } else {
            log.warnOfCall("the failure policy decided in place of Redis: " + reason);
        }
        if (failure == Failure.NONSENSE) {
            call.master.distrust();
        }
        if (failure.link() != Failure.Link.KEPT) {
            call.connection.refresh();
        }
        if (failure.link() == Failure.Link.REPLACED) {
            if (failure.breaker() == Failure.Breaker.OPENS) {
                masters.replace(call.connection, failure);
            } else {
                link.replace(call.connection);
            }
        }
    }

    // ---- State

    /** Whether one script may use any keys; false while that is not known. */
    public boolean isOneMaster() {
        RedisConnection connection = link.connection();
        return connection != null && connection.isOneMaster();
    }

    /** The event loop of the calling thread, where {@link RedisConnection#eventLoop} has one; else null. */
    public @Nullable Executor eventLoop() {
        RedisConnection connection = link.connection();
        return connection == null ? null : connection.eventLoop();
    }

    /** Whether every call would fail at once: no master may be called. */
    public boolean isOpen() {
        if (closed || link.connection() == null) {
            return true;
        }
        return masters.areAllRefusing();
    }

    public Counters counters() {
        Map<String, BreakerState> breakers = masters.breakers();
        return new Counters(
                calls.sum(),
                timeouts.sum(),
                failures.sum(),
                late.sum(),
                refusals.sum(),
                underWay.get(),
                link.reconnects(),
                timesOpened.sum() + link.failedStarts(),
                closed || link.connection() == null || breakers.containsValue(BreakerState.OPEN),
                breakers);
    }

    /** Ends every call at once; later ones end as they begin. */
    @Override
    public void close() {
        detach();
        link.close();
    }

    /** The same, and leaves the connection to Redis open for another to use. */
    public void detach() {
        closed = true;
        timer.shutdownNow();
        deadlines.close();
    }

    static ThreadFactory threads(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
