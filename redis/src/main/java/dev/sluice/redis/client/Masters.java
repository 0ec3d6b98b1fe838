package dev.sluice.redis.client;

import dev.sluice.redis.client.CircuitBreaker.Phase;
import dev.sluice.redis.client.ResilientConnection.BreakerState;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The masters that were called, each with its circuit breaker.
 *
 * <p>Those whose breaker is open are looked after on a timer: they are pinged, the connection is replaced if one stays
 * silent, and one that has lost its slots is forgotten.
 *
 * <p>A connection to a cluster is one to all its masters. If it is replaced for the sake of one master, calls to the others
 * go on over the old one until the new one is there. So that those who work do not pay for one that is gone for long, the
 * attempts become rarer, unless a new connection is all that helps: no master is called, or what one of them replies is not
 * trusted on the old one.
 */
final class Masters {
    /** A master, as far as it concerns calls to it. */
    static final class Master {
        private final CircuitBreaker breaker = new CircuitBreaker(System.nanoTime());
        private final AtomicBoolean isPinged = new AtomicBoolean();
        private volatile long pingedAtNanos;
        /** When a ping last ended, or the breaker opened. */
        private volatile long heardAtNanos;
        /** When a ping was last answered, or the breaker opened. */
        private volatile long answeredAtNanos;

        /** Replies to calls that began before the breaker had opened this often are not used. */
        private volatile long distrustedOpenings;

        CircuitBreaker breaker() {
            return breaker;
        }

        /** Whether the reply to a call that began then may be another's. */
        boolean isDistrusted(CircuitBreaker.State began) {
            return began.openings() < distrustedOpenings;
        }

        /** Nothing that was sent on the connection so far is answered by it. */
        void distrust() {
            distrustedOpenings = breaker.state().openings();
        }

        private boolean isOpenForDistrust() {
            CircuitBreaker.State state = breaker.state();
            return state.openings() > 0 && state.openings() == distrustedOpenings;
        }

        /** A call to it failed. Returns whether that opened the breaker. */
        boolean failed(CircuitBreaker.State began, Failure.Breaker effect, int requests, long now) {
            if (!breaker.failed(began, effect, requests, now)) {
                return false;
            }
            heardAtNanos = now;
            answeredAtNanos = now;
            return true;
        }
    }

    private static final System.Logger LOG = System.getLogger(Masters.class.getName());
    private static final long TEND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** How long to wait for a ping on top of the timeout, before the connection is taken for dead. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    private static final long MAX_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long the client may take to connect again by itself. */
    private static final long MAX_FAILING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long MAX_FAILING_OF_CLUSTER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Reconnection link;
    private final long timeoutNanos;
    private final long maxSilenceNanos;
    private final ConcurrentHashMap<String, Master> all = new ConcurrentHashMap<>();
    /** Any of them: the only one, where there is one. */
    private volatile @Nullable Master some;

    /** Looks after them on {@code timer}; a ping has to be answered within the timeout. */
    Masters(Reconnection link, ScheduledExecutorService timer, long timeoutNanos) {
        this.link = link;
        this.timeoutNanos = timeoutNanos;
        this.maxSilenceNanos = Math.min(timeoutNanos + SILENCE_NANOS, MAX_SILENCE_NANOS);
        timer.scheduleWithFixedDelay(this::tend, TEND_NANOS, TEND_NANOS, TimeUnit.NANOSECONDS);
    }

    Master of(String name) {
        Master known = all.get(name);
        if (known == null) {
            known = all.computeIfAbsent(name, unused -> new Master());
            some = known;
        }
        return known;
    }

    /** Whether a call would be refused, whichever master it is for. */
    boolean areAllRefusing() {
        Master some = this.some;
        if (some == null || !some.breaker.isRefusing()) {
            return false; // the usual case, at the cost of a look at one breaker
        }
        RedisConnection connection = link.connection();
        return connection != null
                && connection.masters().stream().allMatch(name -> {
                    Master master = all.get(name);
                    return master != null && master.breaker.isRefusing();
                });
    }

    /** Makes another connection in place of this one after a failure of a master. */
    void replace(RedisConnection connection, Failure failure) {
        if (failure == Failure.NONSENSE || isUrgent(connection)) {
            link.replaceSoon(connection);
        } else {
            link.replace(connection);
        }
    }

    /** Whether no call can be made without another connection. */
    private boolean isUrgent(RedisConnection connection) {
        return connection.masters().size() == 1 || areAllRefusing();
    }

    Map<String, BreakerState> breakers() {
        Map<String, BreakerState> breakers = new TreeMap<>();
        all.forEach((name, master) -> breakers.put(
                name,
                switch (master.breaker.phase()) {
                    case CLOSED -> BreakerState.CLOSED;
                    case OPEN -> BreakerState.OPEN;
                    case HALF_OPEN, PROBING -> BreakerState.HALF_OPEN;
                }));
        return breakers;
    }

    private void tend() {
        try {
            RedisConnection connection = link.connection();
            if (connection == null) {
                link.replaceSoon(null);
                return;
            }
            all.forEach((name, master) -> {
                if (master.breaker.phase() == Phase.OPEN) {
                    tend(connection, name, master);
                }
            });
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot look after the masters", e);
        }
    }

    private void tend(RedisConnection connection, String name, Master master) {
        long now = System.nanoTime();
        if (!connection.masters().contains(name)) {
            connection.refresh();
            all.remove(name, master); // another has its slots
            return;
        }
        if (master.isOpenForDistrust()) {
            link.replaceSoon(connection);
            if (link.isConfirmedSince(master.breaker.state().sinceNanos())) {
                master.breaker.halfOpen();
            }
            return;
        }
        boolean isUrgent = isUrgent(connection);
        if (isUrgent && link.isNewSince(master.breaker.state().sinceNanos())) {
            master.breaker.halfOpen(); // it has just been connected to
            return;
        }
        long maxFailing = isUrgent ? MAX_FAILING_NANOS : MAX_FAILING_OF_CLUSTER_NANOS;
        if (now - master.heardAtNanos > maxSilenceNanos || now - master.answeredAtNanos > maxFailing) {
            replace(connection, Failure.NO_REPLY);
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
}
