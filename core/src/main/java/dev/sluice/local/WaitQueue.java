package dev.sluice.local;

import dev.sluice.Decision;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.algorithm.State;
import dev.sluice.spi.Completions;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
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
 * <p>Joining, leaving and serving cost O(log n) in a queue of n; {@link Turns} says at what price.
 *
 * <p>Futures are completed outside the lock, because they run the caller's code.
 */
final class WaitQueue {
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
    private final Turns turns;
    /** Left the queue, and to be told so. */
    private final List<Waiter> refused = new ArrayList<>();

    private boolean dissolved;
    private long wakeAt = State.NEVER;
    private Runnable cancelWake = () -> {};
    private volatile int highestShare;

    WaitQueue(LimiterCore core, WaitQueues queues, Entry entry) {
        this.core = core;
        this.queues = queues;
        this.entry = entry;
        this.turns = new Turns(entry, waiters);
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
            turns.pay();
            return turns.ofNewcomer(permits, percent, now);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a call of a higher share goes before the waiters: their turns may come too late now. */
    void overtaken() {
        if (turns.areUnchecked()) {
            return;
        }
        lock.lock();
        try {
            if (!waiters.isEmpty()) {
                turns.delayed();
                long clock = core.clock();
                wakeAt(turns.areUnchecked() ? clock + OVERTAKEN_MICROS : State.NEVER, clock);
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- For waiters

    /** Joins the queue, or is refused at once if the turn cannot come in time; false if the queue has dissolved. */
    boolean join(Waiter waiter) {
        boolean[] joined = {false};
        try {
            locked(done -> {
                        joined[0] = !dissolved && markAwaited();
                        if (joined[0]) {
                            enterOrRefuse(waiter);
                            settleOrRetry(done);
                        }
                    })
                    .run();
        } catch (RuntimeException | Error failure) {
            takeOut(waiter); // or it would take permits that nobody knows of
            throw failure;
        }
        if (joined[0]) {
            waiter.joined(this);
        }
        return joined[0];
    }

    /** Leaves the queue; those behind move up. Running the result completes their futures. */
    Runnable leave(Waiter waiter) {
        return locked(done -> {
                    if (remove(waiter)) {
                        turns.changed();
                        settle(done);
                    }
                })
                .later();
    }

    /** If {@code retire} ends the use of the entry, everybody leaves, to join another queue in the order of the result. */
    List<Waiter> leaveAll(BooleanSupplier retire) {
        lock.lock();
        try {
            if (dissolved || !refused.isEmpty() || !retire.getAsBoolean()) {
                return List.of();
            }
            List<Waiter> all = waiters.all();
            all.forEach(this::remove);
            dissolve();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** How many wait; an old number, since it is read without the lock. */
    int roughSize() {
        return waiters.size();
    }

    // ---- For changes of the state

    /** Serves the waiters after another call has given permits back. */
    void reconsider() {
        guarded(done -> {
            turns.changed();
            settle(done);
        });
    }

    /** Refuses the waiters that have become hopeless under other limits, and serves the rest. */
    void limitsChanged() {
        guarded(done -> {
            turns.delayed();
            State seen = entry.snapshot();
            for (Waiter waiter : waiters.all()) {
                if (!seen.fits(waiter.percent, waiter.permits)) {
                    refuse(waiter);
                }
            }
            turns.payAll();
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
                turns.changed();
                refused.add(waiter);
                settle(done);
            }
        });
        if (takeOut(waiter)) {
            waiter.fail(new IllegalStateException("a wait for " + waiter.permits + " permits of " + core.limits()
                    + " is over, and the limiter could not say more; the log has the reason"));
        }
    }

    // ---- Under the lock

    /** Runs an operation under the lock. The futures of those who are served or refused by it are still to complete. */
    private Completions locked(Consumer<Completions> operation) {
        Completions done = new Completions(core.scheduler);
        boolean ended = false;
        lock.lock();
        try {
            turns.pay();
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
            retryLater(failure);
        }
    }

    /** Settles; if that fails, the waiters are looked at again later. */
    private void settleOrRetry(Completions done) {
        try {
            settle(done);
        } catch (RuntimeException | Error failure) {
            retryLater(failure);
        }
    }

    /** Looks at the waiters again later, because that failed now. */
    private void retryLater(Throwable failure) {
        LOG.log(System.Logger.Level.WARNING, "serving those who wait for " + core.limits() + " failed", failure);
        lock.lock();
        try {
            if (!dissolved) {
                turns.changed();
                wakeAt = State.NEVER;
                cancelWake.run();
                cancelWake = core.scheduler.schedule(RETRY_MICROS, this::wake);
            }
        } finally {
            lock.unlock();
        }
        if (failure instanceof VirtualMachineError fatal) {
            throw fatal;
        }
    }

    /** Serves those whose turn has come, and refuses those whose turn cannot come in time. */
    private void settle(Completions done) {
        long clock = core.clock();
        long now = core.time(entry, clock);
        serve(now, clock, done);
        while (turns.canBeChecked()) {
            turns.check(now).forEach(this::refuse);
            serve(now, clock, done);
        }
        highestShare = waiters.highestShare();
        if (!refused.isEmpty()) {
            State seen = entry.snapshot();
            for (Waiter waiter : refused) {
                done.add(waiter, refusal(waiter, seen, now, clock), taken -> {});
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
                        entry.read(state ->
                                Math.max(state.readyAt(waiter.percent, now, waiter.permits), state.departsAt(now))));
            } else {
                remove(first);
                Waiter served = first;
                done.add(served, decision, taken -> core.refund(served.key, LimiterDecision.of(taken)));
                turns.served(first, now);
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
                    return new LocalKeyStatus(entry, state, waiter.percent, now).allowed(waiter.permits, clock, now);
                } finally {
                    state.unlock(stamp);
                }
            }
            LimiterCore.relax(tries);
        }
    }

    private Decision refusal(Waiter waiter, State seen, long now, long clock) {
        boolean barred = bars(waiter.percent);
        LocalKeyStatus status = new LocalKeyStatus(null, seen, waiter.percent, now);
        return status.denied(
                Outcome.DENIED,
                waiter.permits,
                clock,
                barred ? 0 : status.remaining(),
                barred ? turns.ofNewcomer(waiter.permits, waiter.percent, now) : status.readyAt(waiter.permits));
    }

    private void enterOrRefuse(Waiter waiter) {
        if (queues.isClosed() || !turns.canCome(waiter, core.time(entry, core.clock()))) {
            refused.add(waiter);
        } else {
            enter(waiter);
        }
    }

    private void enter(Waiter waiter) {
        if (waiter.deadline != State.NEVER) {
            long delay = Math.max(0, waiter.deadline - core.clock());
            waiter.cancelAlarm = core.scheduler.schedule(delay, () -> expire(waiter));
        }
        waiters.add(waiter);
        turns.joined(waiter);
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

    /** Takes a waiter out that is still in the queue, because something failed; false if it is not there. */
    private boolean takeOut(Waiter waiter) {
        lock.lock();
        try {
            boolean there = remove(waiter) || refused.remove(waiter);
            dissolveIfEmpty();
            return there;
        } finally {
            lock.unlock();
        }
    }

    /** How many steps all forecasts of this queue have taken. */
    long forecastSteps() {
        lock.lock();
        try {
            return turns.steps();
        } finally {
            lock.unlock();
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
            if (State.isAwaited(stamp)) {
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
            if (State.isDropped(stamp)) {
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
