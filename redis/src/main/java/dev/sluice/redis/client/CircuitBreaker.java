package dev.sluice.redis.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether one master is called.
 *
 * <pre>
 *            3 requests in a row fail           a pause, then a ping in time
 *   CLOSED ----------------------> OPEN ------------------------------------> HALF_OPEN
 *      ^                            ^                                            | the next call
 *      |                            '------- it fails, or is late ----------- PROBING
 *      '------------------------------------ it gets its reply in time ----------'
 * </pre>
 *
 * <p>Why requests count and not calls: one call may carry many requests, and a busy store makes few calls in a timeout.
 *
 * <p>Why a call closes it and not the ping: a server may answer a ping quickly and a script late. Why there is a ping at
 * all: it keeps callers from waiting for a server that is dead.
 *
 * <p>Each time it opens soon after it closed, or a probe fails, the pause doubles, up to {@link #MAX_PAUSE_NANOS}. That
 * bound, and a ping every 50 milliseconds after it, keep the way back within a second.
 *
 * <p>All of its state is one value. The value also says how often the breaker has opened, and a call remembers the value
 * that it began with: the outcome of a call that began before the breaker opened changes nothing afterwards.
 */
final class CircuitBreaker {
    /** What a call may do. */
    enum Phase {
        CLOSED,
        OPEN,
        HALF_OPEN,
        PROBING
    }

    /**
     * @param failures requests in a row that failed while it was closed
     * @param openings how often it has opened, counting probes that failed
     * @param pauses how often in a row the pause was doubled
     * @param sinceNanos when this phase began
     */
    record State(Phase phase, int failures, long openings, int pauses, long sinceNanos) {
        State closed(long now) {
            return new State(Phase.CLOSED, 0, openings, pauses, now);
        }

        State failures(int count) {
            return new State(phase, count, openings, pauses, sinceNanos);
        }

        State open(long now) {
            boolean again = phase == Phase.PROBING || (openings > 0 && now - sinceNanos < CALM_NANOS);
            return new State(Phase.OPEN, 0, openings + 1, again ? Math.min(pauses + 1, MAX_PAUSES) : 0, now);
        }

        State in(Phase next) {
            return new State(next, failures, openings, pauses, sinceNanos);
        }

        long pauseNanos() {
            return Math.min(MIN_PAUSE_NANOS << pauses, MAX_PAUSE_NANOS);
        }
    }

    static final int FAILURES_TO_OPEN = 3;
    static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    /** Once it has been closed for so long, the next pause is the shortest again. */
    static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int MAX_PAUSES = 8;

    private static final AtomicReferenceFieldUpdater<CircuitBreaker, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(CircuitBreaker.class, State.class, "state");

    private volatile State state;

    CircuitBreaker(long now) {
        this.state = new State(Phase.CLOSED, 0, 0, 0, now);
    }

    State state() {
        return state;
    }

    Phase phase() {
        return state.phase;
    }

    /** Whether a call would be refused now. */
    boolean isRefusing() {
        Phase phase = phase();
        return phase == Phase.OPEN || phase == Phase.PROBING;
    }

    /** The state in which a call may begin, which it reports its outcome with; null if it may not. */
    @Nullable
    State admit() {
        State now = state;
        return switch (now.phase) {
            case CLOSED -> now;
            case HALF_OPEN -> {
                State probing = now.in(Phase.PROBING);
                yield STATE.compareAndSet(this, now, probing) ? probing : null;
            }
            case OPEN, PROBING -> null;
        };
    }

    /** Whether the success of a call would change nothing. */
    boolean isCalmSince(State began) {
        State current = state;
        return current.openings == began.openings && current.phase == Phase.CLOSED && current.failures == 0;
    }

    /** A call got its reply in time. Returns whether that closed the breaker. */
    boolean succeeded(State began, long now) {
        State current = state;
        while (current.openings == began.openings) {
            boolean closes = current.phase == Phase.PROBING;
            if (!closes && (current.phase != Phase.CLOSED || current.failures == 0)) {
                return false;
            }
            if (STATE.compareAndSet(this, current, closes ? current.closed(now) : current.failures(0))) {
                return closes;
            }
            current = state;
        }
        return false;
    }

    /** A call for this many requests failed. Returns whether that opened the breaker, which was closed. */
    boolean failed(State began, Failure.Breaker effect, int requests, long now) {
        State current = state;
        while (current.openings == began.openings) {
            boolean opens = current.phase == Phase.PROBING
                    || effect == Failure.Breaker.OPENS
                    || current.failures + requests >= FAILURES_TO_OPEN;
            if (current.phase == Phase.OPEN || current.phase == Phase.HALF_OPEN) {
                return false;
            }
            if (STATE.compareAndSet(
                    this, current, opens ? current.open(now) : current.failures(current.failures + requests))) {
                return opens && current.phase == Phase.CLOSED;
            }
            current = state;
        }
        return false;
    }

    /** Whether it is open, and its pause is over. */
    boolean isDue(long now) {
        State current = state;
        return current.phase == Phase.OPEN && now - current.sinceNanos >= current.pauseNanos();
    }

    /** Lets the next call through as a probe. */
    void halfOpen() {
        State current = state;
        if (current.phase == Phase.OPEN) {
            STATE.compareAndSet(this, current, current.in(Phase.HALF_OPEN));
        }
    }
}
