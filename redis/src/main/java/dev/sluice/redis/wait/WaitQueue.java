package dev.sluice.redis.wait;

import dev.sluice.Decision;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.spi.Completions;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this process for the permits of one key, first come, first served.
 *
 * <p><b>How is it designed, and why?</b> The queue is served in passes. A pass asks for the permits of the first waiter;
 * if they are granted, for those of the next, and so on until one is denied, who then bars those behind it. There is one
 * request at a time, so the order is kept, and a pass is a loop and not a recursion, so a store that answers at once does
 * not fill the stack. The next pass begins when the denial says that the permits may be there, when this process gives
 * permits back, or when a deadline comes.
 *
 * <p>Nothing is taken before it is a waiter's turn, so leaving the queue takes nothing. What arrives for a waiter that
 * has left is refunded.
 *
 * <p>Futures are completed outside the lock, because they run the caller's code.
 */
final class WaitQueue {
    /** The pause between attempts on a concurrency limit: other processes do not announce a release. */
    private static final long POLL_HELD_MICROS = 20_000;

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final WaitQueues queues;
    private final String key;
    private final ReentrantLock lock = new ReentrantLock();

    // ---- Under the lock

    private final Waiters waiters = new Waiters();
    private boolean dissolved;
    /** Whether a pass is under way, and whether another one must follow it. */
    private boolean serving;

    private boolean again;
    /** The share up to which the waiters are barred in this pass. */
    private int barred;
    /** For whom permits were asked; nobody if the reply is not waited for. */
    private @Nullable Waiter asked;
    /** Whether the limits have changed, so that all waiters must be looked at. */
    private boolean changed;

    private @Nullable Decision lastDenial;
    private final WakeUp wakeUp;
    private volatile int highestShare;

    WaitQueue(WaitQueues queues, String key) {
        this.queues = queues;
        this.key = key;
        this.wakeUp = new WakeUp(queues.scheduler, queues::nanos, this::serve);
    }

    /** Whether a waiter goes before a newcomer of this share. */
    boolean bars(int percent) {
        return percent <= highestShare;
    }

    // ---- Joining and leaving

    /** Joins the queue, after {@code denied} if permits were asked for; false if it cannot. */
    boolean join(Waiter waiter, @Nullable Decision denied) {
        boolean barred;
        boolean mixed;
        long sum;
        lock.lock();
        try {
            if (dissolved) {
                return false;
            }
            if (queues.isClosed() || !fits(waiter) || !waiter.joins(this)) {
                dissolveIfEmpty();
                return false;
            }
            barred = waiters.bar(waiter);
            mixed = waiters.highestShare() > waiter.percent;
            sum = waiters.permitsAhead(waiter) + waiter.permits;
            waiters.add(waiter);
            highestShare = waiters.highestShare();
            waiter.cancelAlarm =
                    queues.scheduler.schedule(Math.max(0, waiter.microsLeft(queues.nanos())), () -> due(waiter));
            if (denied != null) {
                lastDenial = denied;
                if (!barred) {
                    wakeAfter(denied, waiter);
                    return true;
                }
            }
        } finally {
            lock.unlock();
        }
        if (barred) {
            refuseIfHopeless(waiter, sum, mixed);
        } else {
            serve();
        }
        return true;
    }

    /** Leaves the queue; those behind move up when the result is run. */
    Runnable leave(Waiter waiter) {
        lock.lock();
        try {
            boolean barred = waiters.bar(waiter);
            if (!remove(waiter)) {
                return () -> {};
            }
            if (abandon(waiter)) {
                return this::goOn;
            }
            dissolveIfEmpty();
            return barred || dissolved ? () -> {} : this::serve;
        } finally {
            lock.unlock();
        }
    }

    /** A waiter behind others waits for their permits too, and is refused if all of them cannot be had in time. */
    private void refuseIfHopeless(Waiter waiter, long sum, boolean mixed) {
        TurnForecast forecast = forecast(waiter);
        long cost = mixed ? Math.min(sum, forecast.room()) : forecast.cost(sum);
        long sentAt = queues.nanos();
        queues.peek(key, cost, waiter.percent).thenAccept(seen -> {
            if (seen.allowed() || seen.source() == Decision.Source.FAILURE_POLICY) {
                return;
            }
            long earliest = forecast.earliestMicros(seen, cost, mixed ? cost : sum);
            if (earliest > waiter.microsLeft(sentAt)) {
                refuse(waiter, waiter.refusal(seen, earliest));
            }
        });
    }

    // ---- Serving

    /** Looks at the waiters again: permits may be there. */
    void serve() {
        lock.lock();
        try {
            again = true;
            if (serving || dissolved) {
                return;
            }
            serving = true;
        } finally {
            lock.unlock();
        }
        goOn();
    }

    private void goOn() {
        pass(new Completions(queues.scheduler));
    }

    /** Asks for one waiter after another; goes on with the reply if it does not come at once. */
    private void pass(Completions done) {
        for (Waiter next = next(); next != null; next = next()) {
            Waiter waiter = next;
            long sentAt = queues.nanos();
            CompletableFuture<Decision> reply = queues.take(key, waiter.permits, waiter.percent);
            if (!reply.isDone()) {
                reply.whenComplete((decision, failure) -> {
                    Completions later = new Completions(queues.scheduler);
                    if (replied(waiter, decision, failure, sentAt, later)) {
                        pass(later);
                    }
                });
                break;
            }
            boolean[] goesOn = {false};
            reply.whenComplete((decision, failure) -> goesOn[0] = replied(waiter, decision, failure, sentAt, done));
            if (!goesOn[0]) {
                break;
            }
        }
        done.run();
    }

    private @Nullable Waiter next() {
        lock.lock();
        try {
            if (again) {
                again = false;
                barred = 0;
                wakeUp.cancel();
            }
            asked = waiters.firstAbove(barred);
            if (asked == null) {
                serving = false;
                changed = false;
                dissolveIfEmpty();
            }
            return asked;
        } finally {
            lock.unlock();
        }
    }

    /** Takes note of a reply; false if the pass has gone on without it. Then what was taken is refunded. */
    private boolean replied(
            Waiter waiter, @Nullable Decision reply, @Nullable Throwable failure, long sentAt, Completions done) {
        Decision decision = reply == null ? byPolicy(waiter, failure) : reply;
        Decision left = null;
        boolean current;
        lock.lock();
        try {
            current = abandon(waiter);
            if (decision == null) {
                remove(waiter);
            } else if (!current) {
                left = decision;
            } else if (decision.allowed()) {
                remove(waiter);
                done.add(waiter, decision, taken -> queues.refund(key, taken));
            } else if (waiters.contains(waiter)) {
                lastDenial = decision;
                denied(waiter, decision, sentAt, done);
            }
        } finally {
            lock.unlock();
        }
        if (left != null) {
            queues.refund(key, left);
        } else if (decision == null && failure != null) {
            waiter.fail(failure);
        }
        return current;
    }

    private @Nullable Decision byPolicy(Waiter waiter, @Nullable Throwable failure) {
        LOG.log(System.Logger.Level.WARNING, "asking Redis for one who waits failed", failure);
        try {
            return queues.permits.byPolicy(key, waiter.permits, waiter.percent);
        } catch (RuntimeException e) {
            return null;
        }
    }

    private void denied(Waiter waiter, Decision denied, long sentAt, Completions done) {
        TurnForecast forecast = forecast(waiter);
        long earliest = forecast.earliestMicros(denied);
        long left = waiter.microsLeft(sentAt);
        if (denied.outcome() == Outcome.NEVER || left <= 0 || earliest > left) {
            remove(waiter);
            done.add(waiter, denied, taken -> {});
            return;
        }
        barred = waiter.percent;
        wakeAfter(denied, waiter);
        long turnNanos = sentAt + nanos(earliest);
        for (Waiter due : waiters.dueBefore(latest(turnNanos, queues.nanos() + 1))) {
            if (waiter.bars(due)) {
                remove(due);
                done.add(due, due.refusal(denied, earliest), taken -> {});
            }
        }
        if (changed) {
            refuseHopeless(waiter, denied, sentAt, done);
        }
    }

    /** Looks at every waiter behind the one that was denied; for once, because that costs O(n). */
    private void refuseHopeless(Waiter first, Decision denied, long sentAt, Completions done) {
        TurnForecast forecast = forecast(first);
        long sum = 0;
        for (Waiter waiter : waiters.ofShare(first.percent)) {
            sum += waiter.permits;
            long earliest = forecast.earliestMicros(denied, first.permits, sum);
            if (earliest > waiter.microsLeft(sentAt)) {
                sum -= waiter.permits;
                remove(waiter);
                done.add(waiter, waiter.refusal(denied, earliest), taken -> {});
            }
        }
    }

    // ---- Deadlines

    /** At its deadline a waiter may be served for the last time; soon afterwards it is refused in any case. */
    private void due(Waiter waiter) {
        lock.lock();
        try {
            if (!waiters.contains(waiter)) {
                return;
            }
            long grace =
                    queues.graceMicros + waiter.microsLeft(queues.nanos()); // it may have joined after its deadline
            waiter.cancelAlarm = queues.scheduler.schedule(Math.max(0, grace), () -> expire(waiter));
        } finally {
            lock.unlock();
        }
        serve();
    }

    private void expire(Waiter waiter) {
        Decision denial;
        boolean abandoned;
        lock.lock();
        try {
            denial = lastDenial;
            abandoned = abandon(waiter);
        } finally {
            lock.unlock();
        }
        refuse(
                waiter,
                denial == null
                        ? LimiterDecision.denied(
                                Outcome.DENIED, waiter.permits, forecast(waiter).room(), 0, 0, 0)
                        : waiter.refusal(denial, denial.retryAfterMicros()));
        if (abandoned) {
            goOn();
        }
    }

    private void refuse(Waiter waiter, Decision refusal) {
        Completions done = new Completions(queues.scheduler);
        boolean wasFirst;
        lock.lock();
        try {
            wasFirst = !waiters.bar(waiter);
            if (!remove(waiter)) {
                return;
            }
            done.add(waiter, refusal, taken -> {});
            dissolveIfEmpty();
        } finally {
            lock.unlock();
        }
        if (wasFirst) {
            serve();
        }
        done.run();
    }

    // ---- Changes

    /** Refuses those that fit no longer, and looks at all the others. */
    void limitsChanged() {
        List<Waiter> unfit = new ArrayList<>();
        boolean abandoned = false;
        lock.lock();
        try {
            changed = true;
            again = true;
            for (Waiter waiter : waiters.all()) {
                if (!fits(waiter)) {
                    remove(waiter);
                    abandoned |= abandon(waiter);
                    unfit.add(waiter);
                }
            }
        } finally {
            lock.unlock();
        }
        unfit.forEach(waiter -> waiter.answer(waiter.never(queues.permits.limits())));
        if (abandoned) {
            goOn();
        } else {
            serve();
        }
    }

    /** Removes everybody; they are to be answered. */
    Collection<Waiter> clear() {
        lock.lock();
        try {
            Collection<Waiter> all = waiters.all();
            all.forEach(this::remove);
            asked = null;
            serving = false;
            dissolveIfEmpty();
            return all;
        } finally {
            lock.unlock();
        }
    }

    private boolean fits(Waiter waiter) {
        return forecast(waiter).fits(waiter.permits);
    }

    private TurnForecast forecast(Waiter waiter) {
        return new TurnForecast(queues.permits.limits(), waiter.percent);
    }

    // ---- Under the lock

    private boolean remove(Waiter waiter) {
        if (!waiters.remove(waiter)) {
            return false;
        }
        waiter.cancelAlarm.run();
        highestShare = waiters.highestShare();
        return true;
    }

    /** Whether permits were asked for this waiter; the reply is not waited for, and what comes with it is refunded. */
    private boolean abandon(Waiter waiter) {
        if (asked != waiter) {
            return false;
        }
        asked = null;
        return true;
    }

    private void wakeAfter(Decision denied, Waiter waiter) {
        TurnForecast forecast = forecast(waiter);
        long micros = forecast.holds()
                ? Math.max(POLL_HELD_MICROS, forecast.earliestMicros(denied))
                : denied.retryAfterMicros();
        wakeUp.after(micros);
    }

    private void dissolveIfEmpty() {
        if (waiters.isEmpty() && !serving && !dissolved) {
            dissolved = true;
            wakeUp.cancel();
            queues.remove(key, this);
        }
    }

    private static long nanos(long micros) {
        return Math.min(Long.MAX_VALUE / 4, TimeUnit.MICROSECONDS.toNanos(micros));
    }

    private static long latest(long one, long other) {
        return one - other > 0 ? one : other;
    }
}
