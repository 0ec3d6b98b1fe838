package dev.sluice.local;

import dev.sluice.algorithm.State;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the state that is charged for every waiter at the time of its turn, if nobody else comes or leaves. It says
 * when the turn of a newcomer behind all of them would come.
 *
 * <p>Held permits may be released at any time, so a turn is the soonest that the other limits allow.
 */
final class Forecast {
    private final State state;
    private final long start;
    private long time;
    private int steps;

    Forecast(State copy, long now) {
        this.state = copy;
        this.start = now;
        this.time = now;
    }

    /**
     * Serves the waiters in the order of their turns, up to that of {@code until} if it is given; if not, every
     * waiter notes its turn. Those whose turn cannot
     * come in time are left out and added to {@code hopeless}. The result is false if one of them had been in the way of
     * others before that was known: the forecast has to be made again without it.
     */
    boolean serve(Waiters waiters, @Nullable Waiter until, List<Waiter> hopeless) {
        List<Waiters.Lane> lanes = waiters.lanes();
        while (true) {
            Waiters.Lane next = null;
            long turn = State.NEVER;
            long earliest = Long.MAX_VALUE;
            for (Waiters.Lane lane : lanes) {
                if (!passHopeless(lane, earliest, hopeless)) {
                    return false;
                }
                Waiter first = lane.first;
                lane.isNext = first != null && first.arrival < earliest;
                if (first != null && lane.isNext) {
                    earliest = first.arrival;
                    long lanesTurn = soonestAt(first.percent, first.permits, time);
                    if (lanesTurn <= turn) { // of two at the same time the one that came first
                        turn = lanesTurn;
                        next = lane;
                    }
                }
            }
            if (next == null || next.first == null || next.first == until) {
                return true;
            }
            if (until == null) {
                next.first.turn = turn;
            }
            charge(next.first, turn);
            for (Waiters.Lane lane : lanes) {
                lane.isOvertaken |= lane.isNext;
            }
            next.pass();
        }
    }

    /** Goes past those who are barred by nobody and whose turn still cannot come in time; false if others suffered. */
    private boolean passHopeless(Waiters.Lane lane, long earliest, List<Waiter> hopeless) {
        for (Waiter first = lane.first; first != null && first.arrival < earliest; first = lane.first) {
            if (first.isInTime(soonestAt(first.percent, first.permits, time))) {
                return true;
            }
            steps++;
            hopeless.add(first);
            if (lane.isOvertaken) {
                return false;
            }
            lane.pass();
        }
        return true;
    }

    /** Charges a waiter whose turn comes then. */
    void charge(Waiter waiter, long turn) {
        steps++;
        time = turn;
        state.take(turn, waiter.permits);
    }

    /** When the turn of a newcomer might come. */
    long turnOf(int percent, long permits, long now) {
        return soonestAt(percent, permits, Math.max(now, time));
    }

    /** When a newcomer would be admitted if nobody released any permits. */
    long readyAt(int percent, long permits, long now) {
        long from = Math.max(now, time);
        return Math.max(state.readyAt(percent, from, permits), state.departsAt(from));
    }

    /** Whether somebody waits for time to pass, and not only for a release. */
    boolean spansTime() {
        return time > start;
    }

    /** How many waiters were looked at. */
    int steps() {
        return steps;
    }

    private long soonestAt(int percent, long permits, long from) {
        return Math.max(state.soonestAt(percent, from, permits), state.departsAt(from));
    }
}
