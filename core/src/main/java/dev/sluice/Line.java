package dev.sluice;

import dev.sluice.algorithm.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for the permits of one cell, first come, first served.
 *
 * <p><b>How is it designed, and why?</b> Nothing is reserved ahead: a waiter's permits are taken when its turn has come,
 * so leaving the line takes nothing. Whether a turn can come in time is known at once all the same: a copy of the state
 * is charged for everyone in the line at the time of their turn, and the newcomer is asked of that copy.
 *
 * <p>A waiter that may use only a share of the limit does not stand in the way of one that may use more: it bars those
 * who came later and may use as much as it or less.
 *
 * <p>Futures are completed outside the lock, since what hangs on them is the caller's code.
 */
final class Line {
    /** One who waits. Whoever completes the future from outside leaves the line. */
    static final class Waiter extends CompletableFuture<Decision> {
        private final String key;
        private final long permits;
        private final int percent;

        Waiter(String key, long permits, int percent) {
            this.key = key;
            this.permits = permits;
            this.percent = percent;
        }
    }

    private record Served(Waiter waiter, Decision decision) {}

    /** How things will stand when everyone has been served whom a newcomer of this share must let go first. */
    private static final class Forecast {
        private final int percent;
        private final State state;
        private long time;

        Forecast(int percent, State state, long now) {
            this.percent = percent;
            this.state = state;
            this.time = now;
        }

        void add(Waiter waiter) {
            if (waiter.percent >= percent) {
                long turn = state.soonestAt(waiter.percent, time, waiter.permits);
                time = turn == State.NEVER ? time : turn;
                state.take(time, waiter.permits);
            }
        }
    }

    private final Engine engine;
    private final Cell cell;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private final List<Forecast> forecasts = new ArrayList<>();
    private boolean dissolved;
    private long wakeAt = State.NEVER;
    private Runnable cancelWake = () -> {};
    private volatile int highestPercent;

    Line(Engine engine, Cell cell) {
        this.engine = engine;
        this.cell = cell;
    }

    /** Whether somebody in the line goes before a newcomer of this share. */
    boolean bars(int percent) {
        return percent <= highestPercent;
    }

    /** When a newcomer's turn would come. */
    long turnOf(long permits, int percent, long now) {
        lock.lock();
        try {
            Forecast forecast = forecast(percent, now);
            return forecast.state.readyAt(percent, Math.max(now, forecast.time), permits);
        } finally {
            lock.unlock();
        }
    }

    /** Joins the line, or is turned away at once if the turn cannot come in time; null if the line has dissolved. */
    @Nullable
    Waiter join(String key, long permits, int percent, long deadline) {
        Waiter waiter = new Waiter(key, permits, percent);
        lock.lock();
        try {
            if (dissolved || !markAwaited()) {
                dissolve();
                return null;
            }
            long now = engine.clock();
            Forecast forecast = forecast(percent, now);
            if (forecast.state.soonestAt(percent, Math.max(now, forecast.time), permits) > deadline) {
                waiter.complete(refusal(waiter, now));
            } else {
                waiters.add(waiter);
                highestPercent = Math.max(highestPercent, percent);
                forecasts.forEach(each -> each.add(waiter));
                Runnable cancel = engine.timer.after(deadline - now, () -> expire(waiter));
                waiter.whenComplete((decision, cause) -> cancel.run());
            }
        } finally {
            lock.unlock();
        }
        serve();
        return waiter;
    }

    /** Leaves the line; those behind move up. */
    void leave(Waiter waiter) {
        lock.lock();
        try {
            if (waiters.remove(waiter)) {
                forecasts.clear();
            }
        } finally {
            lock.unlock();
        }
        serve();
    }

    /** What the line waits for was changed by somebody else. */
    void reconsider() {
        lock.lock();
        try {
            forecasts.clear();
        } finally {
            lock.unlock();
        }
        serve();
    }

    private void expire(Waiter waiter) {
        serve();
        Decision refusal;
        lock.lock();
        try {
            if (!waiters.remove(waiter)) {
                return;
            }
            forecasts.clear();
            refusal = refusal(waiter, engine.clock());
        } finally {
            lock.unlock();
        }
        waiter.complete(refusal);
        serve();
    }

    /** Serves those whose turn has come. */
    private void serve() {
        List<Served> served = new ArrayList<>();
        lock.lock();
        try {
            if (!dissolved) {
                long now = engine.clock();
                wakeAt = wakeAt <= now ? State.NEVER : wakeAt;
                serve(now, served);
                if (waiters.isEmpty()) {
                    dissolve();
                }
            }
        } finally {
            lock.unlock();
        }
        for (Served each : served) {
            if (!each.waiter.complete(each.decision)) {
                engine.refund(each.waiter.key, each.decision);
            }
        }
    }

    private void serve(long now, List<Served> served) {
        int barred = 0;
        for (Iterator<Waiter> each = waiters.iterator(); each.hasNext() && barred < 100; ) {
            Waiter waiter = each.next();
            Decision decision = waiter.percent > barred ? take(waiter, now) : null;
            if (decision != null) {
                each.remove();
                served.add(new Served(waiter, decision));
            } else if (waiter.percent > barred) {
                barred = waiter.percent;
                wakeFor(waiter, now);
            }
        }
        highestPercent =
                waiters.stream().mapToInt(waiter -> waiter.percent).max().orElse(0);
    }

    private void wakeFor(Waiter waiter, long now) {
        long turn = cell.snapshot().readyAt(waiter.percent, now, waiter.permits);
        if (turn < wakeAt) {
            wakeAt = turn;
            cancelWake.run();
            cancelWake = engine.timer.after(turn - now, this::serve);
        }
    }

    private @Nullable Decision take(Waiter waiter, long now) {
        while (true) {
            State state = cell.state;
            long stamp = state.stamp();
            if (!state.admits(waiter.percent, now, waiter.permits)) {
                if (!State.isHeld(stamp) && state.unchangedSince(stamp)) {
                    return null;
                }
            } else if (state.take(stamp, now, waiter.permits)) {
                try {
                    return new Answer.Whole(engine, waiter.percent).allowed(state, now, now, waiter.permits, now);
                } finally {
                    state.free(stamp);
                }
            }
            Thread.onSpinWait();
        }
    }

    private Decision refusal(Waiter waiter, long now) {
        return new Answer.Whole(engine, waiter.percent)
                .denied(cell, cell.snapshot(), now, now, waiter.permits, State.NEVER, Outcome.DENIED);
    }

    private Forecast forecast(int percent, long now) {
        for (Forecast forecast : forecasts) {
            if (forecast.percent == percent) {
                return forecast;
            }
        }
        Forecast forecast = new Forecast(percent, cell.snapshot(), now);
        waiters.forEach(forecast::add);
        forecasts.add(forecast);
        return forecast;
    }

    /** Says in the stamp that somebody waits, so that others ask the line; false if the cell was dropped. */
    private boolean markAwaited() {
        for (int tries = 0; ; tries++) {
            State state = cell.state;
            long stamp = state.stamp();
            if (State.isGone(stamp)) {
                return false;
            }
            if (!State.isHeld(stamp) && State.isAwaited(stamp)) {
                return true;
            }
            if (state.hold(stamp)) {
                state.freeAwaited(stamp);
                return true;
            }
            Engine.relax(tries);
        }
    }

    private void dissolve() {
        if (!dissolved) {
            dissolved = true;
            highestPercent = 0;
            cancelWake.run();
            unmark();
            engine.remove(cell, this);
        }
    }

    private void unmark() {
        for (int tries = 0; ; tries++) {
            State state = cell.state;
            long stamp = state.stamp();
            if (State.isGone(stamp) || (!State.isHeld(stamp) && !State.isAwaited(stamp))) {
                return;
            }
            if (state.hold(stamp)) {
                state.freeUnawaited(stamp);
                return;
            }
            Engine.relax(tries);
        }
    }
}
