package dev.sluice.redis.client;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The connection that is in use, and the making of another in its place.
 *
 * <p>A new connection resolves the address, logs in, and asks what is at the other end, so that it is the remedy for
 * whatever does not mend itself: a connection to a server that lost its power or is no longer the master, a login that was
 * changed, a cluster where one server was.
 *
 * <p>One attempt runs at a time, on a thread of its own. The old connection is used until the new one is there, and closed
 * when the calls on it have ended. Attempts follow each other at growing intervals of up to {@link #MAX_PAUSE_NANOS}. Where
 * nothing else helps, they are at most {@link #SOON_NANOS}, so that it is in use within a second of being well.
 */
final class Reconnection {
    private static final System.Logger LOG = System.getLogger(Reconnection.class.getName());
    private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(8);
    private static final Duration MIN_PATIENCE = Duration.ofMillis(500);
    private static final Duration MAX_PATIENCE = Duration.ofSeconds(2);
    private static final int TIMEOUTS_TO_CONNECT = 2;
    private static final long TO_CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * All that is known of the connection.
     *
     * @param connection null while there is none
     * @param sinceNanos when it was connected
     * @param confirmedAtNanos when it was last connected, also if that is the application's own connection again
     * @param attemptedAtNanos when the last attempt began
     * @param pauseNanos how long to wait from then until the next
     * @param connecting whether an attempt is under way
     */
    private record State(
            @Nullable RedisConnection connection,
            long sinceNanos,
            long confirmedAtNanos,
            long attemptedAtNanos,
            long pauseNanos,
            boolean connecting,
            boolean closed) {
        boolean mayConnect(long maxPauseNanos) {
            long waited = System.nanoTime() - attemptedAtNanos;
            return !closed && !connecting && waited >= Math.min(pauseNanos, maxPauseNanos);
        }

        State begun(long now) {
            boolean calm = now - attemptedAtNanos > CALM_NANOS;
            long pause = calm ? MIN_PAUSE_NANOS : Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
            return new State(connection, sinceNanos, confirmedAtNanos, now, pause, true, closed);
        }

        State connected(RedisConnection next, long now) {
            long since = next == connection ? sinceNanos : now;
            return new State(next, since, now, attemptedAtNanos, pauseNanos, false, closed);
        }

        State failed() {
            return new State(connection, sinceNanos, confirmedAtNanos, attemptedAtNanos, pauseNanos, false, closed);
        }

        State shut() {
            return new State(null, sinceNanos, confirmedAtNanos, attemptedAtNanos, pauseNanos, connecting, true);
        }
    }

    private static final AtomicReferenceFieldUpdater<Reconnection, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(Reconnection.class, State.class, "state");

    private final Connector connector;
    private final ConnectionLog log;
    private final long timeoutNanos;
    /** An attempt that takes longer would keep the next one, which may succeed, from being made. */
    private final Duration patience;

    private volatile State state;
    private final ScheduledThreadPoolExecutor attempts =
            new ScheduledThreadPoolExecutor(1, ResilientConnection.threads("sluice-redis-connect"));
    /** Connections that are no longer used, and not closed yet. */
    private final Set<RedisConnection> retired = ConcurrentHashMap.newKeySet();

    private final LongAdder reconnects = new LongAdder();
    private final boolean failedToStart;

    /** Connects. If that fails there is no connection until {@link #replace} has made one. */
    Reconnection(Connector connector, ConnectionLog log, long timeoutNanos) {
        this.connector = connector;
        this.log = log;
        this.timeoutNanos = timeoutNanos;
        this.patience = Duration.ofNanos(
                Math.max(MIN_PATIENCE.toNanos(), Math.min(TIMEOUTS_TO_CONNECT * timeoutNanos, MAX_PATIENCE.toNanos())));
        attempts.setKeepAliveTime(1, TimeUnit.SECONDS);
        attempts.allowCoreThreadTimeOut(true);
        RedisConnection first = null;
        try {
            first = connector.connect(MAX_PATIENCE);
        } catch (RuntimeException | Error e) {
            log.warn("Redis is not called for now: cannot connect: " + e);
        }
        this.failedToStart = first == null;
        long now = System.nanoTime();
        this.state = new State(first, now, now, now - CALM_NANOS, MIN_PAUSE_NANOS, false, false);
    }

    @Nullable
    RedisConnection connection() {
        return state.connection;
    }

    /** Whether the connection was made after an instant. */
    boolean isNewSince(long nanos) {
        return state.sinceNanos - nanos > 0;
    }

    /** Whether the server has accepted us since an instant. */
    boolean isConfirmedSince(long nanos) {
        return state.confirmedAtNanos - nanos > 0;
    }

    /** 1 if the first attempt failed, else 0. */
    int failedStarts() {
        return failedToStart ? 1 : 0;
    }

    long reconnects() {
        return reconnects.sum();
    }

    /** Makes another connection in place of this one, unless that has been done, is under way, or was just tried. */
    void replace(@Nullable RedisConnection bad) {
        replace(bad, MAX_PAUSE_NANOS);
    }

    /** The same where nothing else helps. */
    void replaceSoon(@Nullable RedisConnection bad) {
        replace(bad, SOON_NANOS);
    }

    private void replace(@Nullable RedisConnection bad, long maxPauseNanos) {
        State now = state;
        if (now.connection == bad
                && now.mayConnect(maxPauseNanos)
                && STATE.compareAndSet(this, now, now.begun(System.nanoTime()))) {
            try {
                attempts.execute(this::attempt);
            } catch (RejectedExecutionException e) {
                // it has been closed
            }
        }
    }

    private void attempt() {
        RedisConnection fresh;
        try {
            fresh = connector.connect(patience);
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot connect", e);
            STATE.updateAndGet(this, State::failed);
            return;
        }
        State before = STATE.getAndUpdate(this, old -> old.closed ? old : old.connected(fresh, System.nanoTime()));
        if (before.closed) {
            fresh.close();
            return;
        }
        RedisConnection old = before.connection;
        if (old == null) {
            log.answersAgain();
        }
        if (old != fresh) {
            reconnects.increment();
            closeLater(old);
        }
    }

    /** Closes a connection once the calls on it have had their time. */
    private void closeLater(@Nullable RedisConnection old) {
        if (old != null) {
            retired.add(old);
            try {
                attempts.schedule(() -> closeRetired(old), 2 * timeoutNanos, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                closeRetired(old);
            }
        }
    }

    private void closeRetired(RedisConnection old) {
        if (retired.remove(old)) {
            old.close();
        }
    }

    /**
     * Closes every connection; one that is being made is closed when it is there. Waits for that, but not for long: this
     * may be the thread that Lettuce needs to close them.
     */
    void close() {
        State last = STATE.getAndUpdate(this, State::shut);
        if (last.closed) {
            return;
        }
        attempts.getQueue().clear();
        RedisConnection connection = last.connection;
        if (connection != null) {
            attempts.execute(connection::close);
        }
        retired.forEach(old -> attempts.execute(() -> closeRetired(old)));
        attempts.execute(connector::close); // after an attempt that is under way
        attempts.shutdown();
        try {
            if (!attempts.awaitTermination(TO_CLOSE_NANOS, TimeUnit.NANOSECONDS)) {
                LOG.log(System.Logger.Level.DEBUG, "the connections are closed later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
