package dev.sluice.client;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Decides whether the server is called.
 *
 * <pre>
 *            3 calls in a row fail              a pause, then a ping in time
 *   CLOSED ----------------------> OPEN ------------------------------------> HALF_OPEN
 *      ^                            ^                                            | the next call
 *      |                            '------- it fails, or is late ----------- PROBING
 *      '------------------------------------ it gets its reply in time ----------'
 * </pre>
 *
 * <p>Why there is a ping: it keeps callers from waiting for a server that is dead. Why a call closes the breaker and not
 * the ping: a server may answer a ping in time and a check late.
 *
 * <p>Each time a ping or a probe fails, the pause doubles, up to a bound that keeps the way back within a second. A call
 * reports its outcome with the number of openings that it began with: the outcome of a call that began before the breaker
 * opened changes nothing afterwards.
 */
final class CircuitBreaker {
    private enum Phase {
        CLOSED,
        OPEN,
        PINGING,
        HALF_OPEN,
        PROBING
    }

    static final int FAILURES_TO_OPEN = 3;
    static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private Phase phase = Phase.CLOSED;
    private int failures;
    private long openings;
    private long pauseNanos = MIN_PAUSE_NANOS;
    private long openSinceNanos;

    /** What a call that may begin reports its outcome with; empty if it may not. */
    synchronized OptionalLong admit() {
        if (phase == Phase.HALF_OPEN) {
            phase = Phase.PROBING;
            return OptionalLong.of(openings);
        }
        return phase == Phase.CLOSED ? OptionalLong.of(openings) : OptionalLong.empty();
    }

    /** Whether the breaker has opened since a call was admitted. */
    synchronized boolean hasOpenedSince(long admission) {
        return openings != admission;
    }

    /** Whether it is open and its pause is over. Then the caller pings the server and reports that. */
    synchronized boolean beginPing(long now) {
        if (phase != Phase.OPEN || now - openSinceNanos < pauseNanos) {
            return false;
        }
        phase = Phase.PINGING;
        return true;
    }

    /** A ping got its reply in time, or it did not. */
    synchronized void pinged(boolean answered, long now) {
        if (phase != Phase.PINGING) {
            return;
        }
        if (answered) {
            phase = Phase.HALF_OPEN;
        } else {
            reopen(now);
        }
    }

    /** A call got its reply in time. Returns whether that closed the breaker. */
    synchronized boolean succeeded(long admission) {
        if (admission != openings) {
            return false;
        }
        boolean closes = phase == Phase.PROBING;
        if (closes) {
            phase = Phase.CLOSED;
            pauseNanos = MIN_PAUSE_NANOS;
        }
        failures = 0;
        return closes;
    }

    /** A call failed. Returns whether that opened the breaker, which was closed. */
    synchronized boolean failed(long admission, long now) {
        if (admission != openings) {
            return false;
        }
        if (phase == Phase.PROBING) {
            openings++;
            reopen(now);
            return false;
        }
        failures++;
        if (failures < FAILURES_TO_OPEN) {
            return false;
        }
        failures = 0;
        openings++;
        phase = Phase.OPEN;
        openSinceNanos = now;
        return true;
    }

    /** A call ended for a reason that says nothing about the server. */
    synchronized void abandoned(long admission) {
        if (admission == openings && phase == Phase.PROBING) {
            phase = Phase.HALF_OPEN;
        }
    }

    private void reopen(long now) {
        phase = Phase.OPEN;
        openSinceNanos = now;
        pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
    }
}
