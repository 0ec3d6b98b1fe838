package dev.sluice.local;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.algorithm.State;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The waiters for the permits of one entry, first come, first served.
 *
 * <p><b>How is it designed, and why?</b> Nothing is reserved ahead: a waiter's permits are taken when its turn has come,
 * so leaving the queue takes nothing. Whether a turn can come in time is known at once all the same: a copy of the state
 * is charged for every waiter at the time of its turn, and that copy says when a newcomer's turn would be.
 *
 * <p>A waiter that may use only a share of the limit does not stand in the way of one that may use more: it bars those
 * who came later and may use as much as it or less.
 *
 * <p>Futures are completed outside the lock, because they run the caller's code.
 */
final class WaitQueue {
    /** A call that waits. Completing the future from outside leaves the queue. */
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

    /** The state once all waiters are served that go before a newcomer of this share. */
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

        /** When a newcomer's turn would come. */
        long turnOf(long permits, long now) {
            return state.readyAt(percent, Math.max(now, time), permits);
        }

        /** When a newcomer's turn might come, where others may release permits before then. */
        long soonestTurnOf(long permits, long now) {
            return state.soonestAt(percent, Math.max(now, time), permits);
        }
    }

    private final LimiterCore core;
    private final Entry entry;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private final List<Forecast> forecasts = new ArrayList<>();
    private boolean dissolved;
    private long wakeAt = State.NEVER;
    private Runnable cancelWake = () -> {};
    private volatile int highestPercent;

    WaitQueue(LimiterCore core, Entry entry) {
        this.core = core;
        this.entry = entry;
    }

    /** Whether a waiter goes before a newcomer of this share. */
    boolean bars(int percent) {
        return percent <= highestPercent;
    }

    /** When a newcomer's turn would come. */
    long turnOf(long permits, int percent, long now) {
        lock.lock();
        try {
            return forecast(percent, now).turnOf(permits, now);
        } finally {
            lock.unlock();
        }
    }

    /** Joins the queue, or is refused at once if the turn cannot come in time; null if the queue has dissolved. */
    @Nullable
    Waiter join(String key, long permits, int percent, long deadline) {
        Waiter waiter = new Waiter(key, permits, percent);
        Decision refusal = null;
        lock.lock();
        try {
            if (dissolved || !markAwaited()) {
                dissolve();
                return null;
            }
            long now = core.clock();
            if (forecast(percent, now).soonestTurnOf(permits, now) > deadline) {
                refusal = refusal(waiter, now);
            } else {
                waiters.add(waiter);
                highestPercent = Math.max(highestPercent, percent);
                forecasts.forEach(forecast -> forecast.add(waiter));
                Runnable cancel = core.scheduler.schedule(deadline - now, () -> expire(waiter));
                waiter.whenComplete((decision, cause) -> cancel.run());
            }
        } finally {
            lock.unlock();
        }
        if (refusal != null) {
            waiter.complete(refusal);
        }
        serve();
        return waiter;
    }

    /** Leaves the queue; those behind move up. */
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

    /** Serves the waiters after another call has changed the state. */
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
            refusal = refusal(waiter, core.clock());
        } finally {
            lock.unlock();
        }
        waiter.complete(refusal);
        serve();
    }

    /** Serves the waiters whose turn has come. */
    private void serve() {
        List<Served> served = new ArrayList<>();
        lock.lock();
        try {
            if (!dissolved) {
                long now = core.clock();
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
                core.refund(each.waiter.key, LimiterDecision.of(each.decision));
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
        long turn = entry.snapshot().readyAt(waiter.percent, now, waiter.permits);
        if (turn < wakeAt) {
            wakeAt = turn;
            cancelWake.run();
            cancelWake = core.scheduler.schedule(turn - now, this::serve);
        }
    }

    private @Nullable Decision take(Waiter waiter, long now) {
        while (true) {
            State state = entry.state;
            long stamp = state.stamp();
            if (!state.admits(waiter.percent, now, waiter.permits)) {
                if (!State.isLocked(stamp) && state.unchangedSince(stamp)) {
                    return null;
                }
            } else if (state.take(stamp, now, waiter.permits)) {
                try {
                    return new LocalKeyStatus(entry, state, waiter.percent, now).allowed(waiter.permits, now, now);
                } finally {
                    state.unlock(stamp);
                }
            }
            Thread.onSpinWait();
        }
    }

    /** The decision for a waiter that is not in the queue, or not any more. */
    private Decision refusal(Waiter waiter, long now) {
        boolean barred = bars(waiter.percent);
        LocalKeyStatus status = new LocalKeyStatus(entry, entry.snapshot(), waiter.percent, now);
        return status.denied(
                Outcome.DENIED,
                waiter.permits,
                now,
                barred ? 0 : status.remaining(),
                barred ? forecast(waiter.percent, now).turnOf(waiter.permits, now) : status.readyAt(waiter.permits));
    }

    private Forecast forecast(int percent, long now) {
        for (Forecast forecast : forecasts) {
            if (forecast.percent == percent) {
                return forecast;
            }
        }
        Forecast forecast = new Forecast(percent, entry.snapshot(), now);
        waiters.forEach(forecast::add);
        forecasts.add(forecast);
        return forecast;
    }

    /** Says in the stamp that there are waiters, so that other calls ask the queue; false if the entry was dropped. */
    private boolean markAwaited() {
        for (int tries = 0; ; tries++) {
            State state = entry.state;
            long stamp = state.stamp();
            if (State.isDropped(stamp)) {
                return false;
            }
            if (!State.isLocked(stamp) && State.isAwaited(stamp)) {
                return true;
            }
            if (state.tryLock(stamp)) {
                state.unlockAwaited(stamp);
                return true;
            }
            LimiterCore.relax(tries);
        }
    }

    private void dissolve() {
        if (!dissolved) {
            dissolved = true;
            highestPercent = 0;
            cancelWake.run();
            unmarkAwaited();
            core.remove(entry, this);
        }
    }

    private void unmarkAwaited() {
        for (int tries = 0; ; tries++) {
            State state = entry.state;
            long stamp = state.stamp();
            if (State.isDropped(stamp) || (!State.isLocked(stamp) && !State.isAwaited(stamp))) {
                return;
            }
            if (state.tryLock(stamp)) {
                state.unlockUnawaited(stamp);
                return;
            }
            LimiterCore.relax(tries);
        }
    }
}
