package dev.sluice.local;

import dev.sluice.Decision;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.algorithm.Concurrency;
import dev.sluice.algorithm.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The waiters for the permits of one entry, first come, first served.
 *
 * <p><b>How is it designed, and why?</b> Nothing is reserved ahead: a waiter's permits are taken when its turn has come,
 * so leaving the queue takes nothing. Whether a turn can come in time is known at once all the same, from a
 * {@link Forecast}.
 *
 * <p>A waiter that may use only a share of the limit does not stand in the way of one that may use more: it bars those
 * who came later and may use as much as it or less.
 *
 * <p>Joining, leaving and serving cost O(log n) in a queue of n. A newcomer behind all others extends the forecast by one
 * step. Whatever else happens makes the forecast stale, and making it again takes n steps. In a queue of at most
 * {@value #FREE_STEPS} it is made again whenever it is needed. In a longer one it has to be paid for: every operation
 * pays {@value #FREE_STEPS} steps. Until it is paid, nobody is refused by the stale forecast. A newcomer joins, and
 * is refused, if its turn cannot come in time, with the next forecast or at its deadline; and the {@code retryAfter} of
 * other calls is an estimate.
 *
 * <p>Futures are completed outside the lock, because they run the caller's code.
 */
final class WaitQueue {
    /** The steps of a forecast that each operation pays for. */
    static final int FREE_STEPS = 256;

    /** How soon waiters are looked at again after a call of a higher share has gone before them. */
    private static final long OVERTAKEN_MICROS = 1000;
    /** How often waiters are looked at while the limits follow a wall clock, which can be set at any time. */
    private static final long WALL_CLOCK_MICROS = 1_000_000;

    private static final long RETRY_MICROS = 1_000_000;
    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final LimiterCore core;
    private final WaitQueues queues;
    private final Entry entry;
    private final ReentrantLock lock = new ReentrantLock();
    private final Waiters waiters = new Waiters();
    /** Left the queue, and to be told so. */
    private final List<Waiter> refused = new ArrayList<>();

    private @Nullable Forecast forecast;
    private boolean stale = true;
    private long paidSteps;
    private long forecastSteps;
    private boolean dissolved;
    private long wakeAt = State.NEVER;
    private Runnable cancelWake = () -> {};
    private volatile int highestShare;
    /** Whether a waiter may have become hopeless. */
    private volatile boolean unchecked;

    WaitQueue(LimiterCore core, WaitQueues queues, Entry entry) {
        this.core = core;
        this.queues = queues;
        this.entry = entry;
    }

    // ---- For calls that do not wait

    /** Whether a waiter goes before a newcomer of this share. */
    boolean bars(int percent) {
        return percent <= highestShare;
    }

    /** When the turn of a newcomer would come that is behind a waiter. */
    long turnOf(long permits, int percent, long now) {
        lock.lock();
        try {
            pay();
            return newcomersTurn(permits, percent, now);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a call of a higher share goes before the waiters: their turns may come too late now. */
    void overtaken() {
        if (unchecked) {
            return;
        }
        lock.lock();
        try {
            if (!waiters.isEmpty() && isForeseeable()) {
                stale = true;
                unchecked = true;
                long clock = core.clock();
                wakeAt(clock + OVERTAKEN_MICROS, clock);
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- For waiters

    /** Joins the queue, or is refused at once if the turn cannot come in time; null if the queue has dissolved. */
    @Nullable
    Waiter join(String key, long permits, int percent, long deadline) {
        Waiter waiter = new Waiter(this, key, permits, percent, deadline);
        boolean[] joined = {true};
        locked(done -> {
                    if (dissolved || !markAwaited()) {
                        dissolve();
                        joined[0] = false;
                        return;
                    }
                    if (queues.isClosed() || !mayJoin(waiter)) {
                        refused.add(waiter);
                    } else {
                        enter(waiter);
                    }
                    settle(done);
                })
                .run();
        return joined[0] ? waiter : null;
    }

    /** Leaves the queue; those behind move up. Running the result completes their futures. */
    Runnable leave(Waiter waiter) {
        return locked(done -> {
                    if (remove(waiter)) {
                        stale = true;
                        settle(done);
                    }
                })
                .later();
    }

    // ---- For changes of the state

    /** Serves the waiters after another call has given permits back. */
    void reconsider() {
        guarded(done -> {
            stale = true;
            settle(done);
        });
    }

    /** Refuses the waiters that have become hopeless under other limits, and serves the rest. */
    void limitsChanged() {
        guarded(done -> {
            stale = true;
            unchecked = true;
            State seen = entry.snapshot();
            for (Waiter waiter : waiters.all()) {
                if (!seen.fits(waiter.percent, waiter.permits)) {
                    refuse(waiter);
                }
            }
            paidSteps = Math.max(paidSteps, waiters.size());
            settle(done);
        });
    }

    /** Refuses everybody. */
    void close() {
        guarded(done -> {
            waiters.all().forEach(this::refuse);
            settle(done);
        });
    }

    private void wake() {
        guarded(done -> {
            wakeAt = State.NEVER;
            settle(done);
        });
    }

    private void expire(Waiter waiter) {
        guarded(done -> {
            settle(done);
            if (remove(waiter)) {
                stale = true;
                refused.add(waiter);
                settle(done);
            }
        });
        if (fails(waiter)) {
            waiter.fail(new IllegalStateException("a wait for " + waiter.permits + " permits of " + core.limits()
                    + " is over, and the limiter could not say more; the log has the reason"));
        }
    }

    // ---- Under the lock

    /** Runs an operation under the lock. The futures of those who are served or refused by it are still to complete. */
    private Completions locked(Consumer<Completions> operation) {
        Completions done = new Completions(core);
        boolean ended = false;
        lock.lock();
        try {
            pay();
            operation.accept(done);
            ended = true;
        } finally {
            dissolveIfEmpty();
            lock.unlock();
            if (!ended) {
                done.run();
            }
        }
        return done;
    }

    /** Runs an operation that nobody waits for. If it fails, the waiters are looked at again later. */
    private void guarded(Consumer<Completions> operation) {
        try {
            locked(operation).run();
        } catch (RuntimeException | Error failure) {
            LOG.log(System.Logger.Level.WARNING, "serving those who wait for " + core.limits() + " failed", failure);
            lock.lock();
            try {
                if (!dissolved) {
                    stale = true;
                    wakeAt = State.NEVER;
                    cancelWake.run();
                    cancelWake = core.scheduler.schedule(RETRY_MICROS, this::wake);
                }
            } finally {
                lock.unlock();
            }
            if (failure instanceof VirtualMachineError) {
                throw failure;
            }
        }
    }

    /** Serves those whose turn has come, and refuses those whose turn cannot come in time. */
    private void settle(Completions done) {
        long clock = core.clock();
        long now = core.time(entry, clock);
        serve(now, clock, done);
        if (refuseHopeless(now)) {
            serve(now, clock, done);
        }
        highestShare = waiters.highestShare();
        if (!refused.isEmpty()) {
            State seen = entry.snapshot();
            for (Waiter waiter : refused) {
                done.add(waiter, refusal(waiter, seen, now, clock));
            }
            refused.clear();
        }
    }

    private void serve(long now, long clock, Completions done) {
        int barred = 0;
        long next = core.followsWallClock() ? clock + WALL_CLOCK_MICROS : State.NEVER;
        for (Waiter first = waiters.firstAbove(0); first != null; first = waiters.firstAbove(barred)) {
            Decision decision = take(first, now, clock);
            if (decision == null) {
                Waiter waiter = first;
                barred = waiter.percent;
                next = Math.min(
                        next,
                        read(state ->
                                Math.max(state.readyAt(waiter.percent, now, waiter.permits), state.departsAt(now))));
            } else {
                remove(first);
                done.add(first, decision);
                stale |= now != first.turn;
                if (now > first.turn && forecast != null && forecast.spansTime()) {
                    unchecked = true; // it was served late, and those behind will be
                }
            }
        }
        if (!waiters.isEmpty()) {
            wakeAt(next, clock);
        }
    }

    private @Nullable Decision take(Waiter waiter, long now, long clock) {
        for (int tries = 0; ; tries++) {
            State state = entry.state;
            long stamp = state.stamp();
            if (!state.admits(waiter.percent, now, waiter.permits) || state.departsAt(now) > now) {
                if (!State.isLocked(stamp) && state.unchangedSince(stamp)) {
                    return null;
                }
            } else if (state.take(stamp, now, waiter.permits)) {
                try {
                    return new LocalKeyStatus(state, waiter.percent, now).allowed(waiter.permits, clock, now);
                } finally {
                    state.unlock(stamp);
                }
            }
            LimiterCore.relax(tries);
        }
    }

    /** Whether somebody was refused. */
    private boolean refuseHopeless(long now) {
        int before = waiters.size();
        if (!isForeseeable()) {
            unchecked = false;
            forecast = null;
        }
        while (unchecked && isPaidFor()) {
            List<Waiter> hopeless = new ArrayList<>();
            unchecked = !foresee(now, hopeless);
            hopeless.forEach(this::refuse);
            stale = unchecked;
        }
        return waiters.size() < before;
    }

    private Decision refusal(Waiter waiter, State seen, long now, long clock) {
        boolean barred = bars(waiter.percent);
        LocalKeyStatus status = new LocalKeyStatus(seen, waiter.percent, now);
        return status.denied(
                Outcome.DENIED,
                waiter.permits,
                clock,
                barred ? 0 : status.remaining(),
                barred ? newcomersTurn(waiter.permits, waiter.percent, now) : status.readyAt(waiter.permits));
    }

    private void enter(Waiter waiter) {
        if (waiter.deadline != State.NEVER) {
            long delay = Math.max(0, waiter.deadline - core.clock());
            waiter.cancelAlarm = core.scheduler.schedule(delay, () -> expire(waiter));
        }
        waiters.add(waiter);
        if (forecast != null && !stale) {
            forecast.charge(waiter, waiter.turn);
        }
    }

    private boolean remove(Waiter waiter) {
        if (!waiters.remove(waiter)) {
            return false;
        }
        waiter.cancelAlarm.run();
        return true;
    }

    private void refuse(Waiter waiter) {
        if (remove(waiter)) {
            refused.add(waiter);
        }
    }

    /** Whether a waiter is still in the queue although its time is over, because something failed; it leaves. */
    private boolean fails(Waiter waiter) {
        lock.lock();
        try {
            boolean there = remove(waiter) || refused.remove(waiter);
            dissolveIfEmpty();
            return there;
        } finally {
            lock.unlock();
        }
    }

    // ---- Forecasts

    /** Held permits come back nobody knows when: with nothing but a concurrency limit there is nothing to foresee. */
    private boolean isForeseeable() {
        return !(entry.state.algorithm() instanceof Concurrency);
    }

    /** Whether the turn of a newcomer can come in time, as far as is known. */
    private boolean mayJoin(Waiter waiter) {
        long now = core.time(entry, core.clock());
        long soonest = read(state -> state.soonestAt(waiter.percent, now, waiter.permits));
        if (!waiter.isInTime(soonest) || !isForeseeable()) {
            return waiter.isInTime(soonest);
        }
        if (waiters.isBehindAll(waiter.percent)) {
            Forecast current = currentForecast(now);
            if (current != null) {
                waiter.turn = current.turnOf(waiter.percent, waiter.permits, now);
                return waiter.isInTime(waiter.turn);
            }
        }
        stale = true;
        unchecked = true;
        return true;
    }

    private long newcomersTurn(long permits, int percent, long now) {
        if (!isForeseeable() || !entry.state.fits(percent, permits)) {
            return State.NEVER;
        }
        if (!waiters.isBehindAll(percent) && isPaidFor()) {
            Waiter newcomer = new Waiter(this, "", permits, percent, State.NEVER);
            Forecast untilThen = new Forecast(entry.snapshot(), now);
            waiters.add(newcomer);
            try {
                untilThen.serve(waiters, newcomer, new ArrayList<>());
            } finally {
                waiters.remove(newcomer);
            }
            count(untilThen);
            return untilThen.readyAt(percent, permits, now);
        }
        Forecast current = currentForecast(now);
        Forecast best = current != null ? current : forecast;
        return best != null ? best.readyAt(percent, permits, now) : read(state -> state.readyAt(percent, now, permits));
    }

    /** The forecast for everybody in the queue; null if it is stale and not paid for. */
    private @Nullable Forecast currentForecast(long now) {
        if (stale && isPaidFor()) {
            List<Waiter> hopeless = new ArrayList<>();
            stale = !foresee(now, hopeless);
            if (!hopeless.isEmpty()) {
                unchecked = true;
            }
        }
        return stale ? null : forecast;
    }

    /** Makes the forecast again; false if it has to be made once more without those who are hopeless. */
    private boolean foresee(long now, List<Waiter> hopeless) {
        Forecast next = new Forecast(entry.snapshot(), now);
        boolean complete = next.serve(waiters, null, hopeless);
        forecast = next;
        count(next);
        return complete;
    }

    private void count(Forecast made) {
        paidSteps -= made.steps();
        forecastSteps += made.steps();
    }

    private boolean isPaidFor() {
        return waiters.size() <= FREE_STEPS || paidSteps >= waiters.size();
    }

    private void pay() {
        paidSteps = Math.min(paidSteps + FREE_STEPS, waiters.size() + FREE_STEPS);
    }

    /** How many steps all forecasts of this queue have taken. */
    long forecastSteps() {
        lock.lock();
        try {
            return forecastSteps;
        } finally {
            lock.unlock();
        }
    }

    private long read(ToLongFunction<State> question) {
        for (int tries = 0; ; tries++) {
            State state = entry.state;
            long stamp = state.stamp();
            long answer = question.applyAsLong(state);
            if (!State.isLocked(stamp) && state.unchangedSince(stamp)) {
                return answer;
            }
            LimiterCore.relax(tries);
        }
    }

    // ---- Being there

    private void wakeAt(long instant, long clock) {
        if (instant < wakeAt) {
            wakeAt = instant;
            cancelWake.run();
            cancelWake = core.scheduler.schedule(Math.max(1, instant - clock), this::wake);
        }
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

    private void dissolveIfEmpty() {
        highestShare = waiters.highestShare();
        if (waiters.isEmpty() && refused.isEmpty()) {
            dissolve();
        }
    }

    private void dissolve() {
        if (!dissolved) {
            dissolved = true;
            highestShare = 0;
            cancelWake.run();
            unmarkAwaited();
            queues.remove(entry, this);
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
