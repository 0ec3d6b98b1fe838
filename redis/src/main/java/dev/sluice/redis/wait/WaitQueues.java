package dev.sluice.redis.wait;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.Scheduler;
import dev.sluice.Ticker;
import dev.sluice.spi.LimiterDecision;
import dev.sluice.spi.PendingDecision;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The waits of this process on one limiter: a {@link WaitQueue} for each key that somebody waits for, and the requests
 * that wait out the delay of a leaky bucket.
 *
 * <p>A request asks for its permits at once if nobody waits before it, and joins the queue when they are denied. The
 * processes of a fleet do not know each other's queues.
 */
public final class WaitQueues {
    /** The operations of the limiter. */
    public interface Permits {
        List<Limit> limits();

        /** Takes permits if they are admitted with a delay of at most {@code maxDelay} microseconds. */
        CompletableFuture<Decision> take(String key, long permits, int percent, long maxDelay);

        /** What {@link #take} would answer with any delay. */
        CompletableFuture<Decision> peek(String key, long permits, int percent);

        /** Takes permits as the failure policy says, without Redis. */
        Decision byPolicy(String key, long permits, int percent);

        void refund(String key, LimiterDecision taken);
    }

    final Permits permits;
    final Scheduler scheduler;
    /** How long after its deadline a waiter may still be under way. */
    final long graceMicros;

    private final Ticker ticker;
    private final ConcurrentHashMap<String, WaitQueue> queues = new ConcurrentHashMap<>();
    private final Set<Delayed> delayed = ConcurrentHashMap.newKeySet();
    private final AtomicLong arrivals = new AtomicLong();
    private volatile boolean closed;

    public WaitQueues(Permits permits, Scheduler scheduler, Ticker ticker, long graceMicros) {
        this.permits = permits;
        this.scheduler = scheduler;
        this.ticker = ticker;
        this.graceMicros = graceMicros;
    }

    /** Takes the permits as soon as they can be had, if that is within {@code waitMicros}. */
    public CompletableFuture<Decision> await(String key, long cost, int percent, long waitMicros) {
        List<Limit> limits = permits.limits();
        if (closed || !fits(cost, percent)) {
            return take(key, cost, percent);
        }
        WaitQueue queue = queues.get(key);
        if (queue == null && limits.stream().anyMatch(Limit::delays)) {
            return delay(key, cost, percent, waitMicros);
        }
        long now = nanos();
        long waitNanos = Math.min(Long.MAX_VALUE / 4, TimeUnit.MICROSECONDS.toNanos(waitMicros));
        Waiter waiter = new Waiter(cost, percent, arrivals.getAndIncrement(), now + waitNanos);
        if (queue != null && queue.bars(percent)) {
            join(key, waiter, null);
        } else {
            take(key, cost, percent).whenComplete((decision, failure) -> {
                if (decision == null || isFinal(waiter, decision, now)) {
                    answer(key, waiter, decision, failure);
                } else {
                    join(key, waiter, decision);
                }
            });
        }
        return waiter;
    }

    private boolean isFinal(Waiter waiter, Decision decision, long sentAt) {
        if (decision.outcome() != Outcome.DENIED) {
            return true;
        }
        TurnForecast forecast = new TurnForecast(permits.limits(), waiter.percent);
        return forecast.earliestMicros(decision) > waiter.microsLeft(sentAt);
    }

    private void join(String key, Waiter waiter, @Nullable Decision denied) {
        while (!closed && !waiter.isWithdrawn() && fits(waiter.permits, waiter.percent)) {
            if (queues.computeIfAbsent(key, unused -> new WaitQueue(this, key)).join(waiter, denied)) {
                return;
            }
        }
        if (closed) {
            answerByPolicy(key, waiter);
        } else {
            waiter.answer(waiter.never(permits.limits()));
        }
    }

    /** Whether so many permits can ever be had. */
    boolean fits(long cost, int percent) {
        return new TurnForecast(permits.limits(), percent).fits(cost);
    }

    /** Answers a waiter that is in no queue. What was taken for one whose owner has completed the future is refunded. */
    void answer(String key, Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        if (decision == null) {
            waiter.fail(failure == null ? new IllegalStateException("no decision") : failure);
        } else if (!waiter.answer(decision)) {
            refund(key, decision);
        }
    }

    // ---- The delay of a queueing limit

    private CompletableFuture<Decision> delay(String key, long cost, int percent, long waitMicros) {
        Delayed wait = new Delayed(key);
        take(key, cost, percent, waitMicros).whenComplete(wait::replied);
        return wait;
    }

    /** A request that waits for its decision, and then out the delay of it. */
    private final class Delayed extends PendingDecision {
        private final String key;
        private @Nullable LimiterDecision admitted;
        private boolean over;
        private Runnable cancelAlarm = () -> {};

        Delayed(String key) {
            this.key = key;
        }

        void replied(@Nullable Decision decision, @Nullable Throwable failure) {
            if (decision == null) {
                fail(failure == null ? new IllegalStateException("no decision") : failure);
            } else if (decision.delayMicros() == 0) {
                if (!answer(decision)) {
                    refund(key, decision);
                }
            } else if (!waitsOut(LimiterDecision.of(decision))) {
                refund(key, decision);
            } else if (closed) {
                refuse();
            }
        }

        private synchronized boolean waitsOut(LimiterDecision decision) {
            if (over) {
                return false;
            }
            admitted = decision;
            delayed.add(this);
            cancelAlarm = scheduler.schedule(decision.delayMicros(), this::end);
            return true;
        }

        private void end() {
            LimiterDecision decision = endOnce();
            if (decision != null && !answer(decision.undelayed())) {
                refund(key, decision);
            }
        }

        /** Denies the request, because the store is closed. */
        void refuse() {
            LimiterDecision decision = endOnce();
            if (decision != null) {
                refund(key, decision);
                answer(LimiterDecision.denied(
                                Outcome.DENIED,
                                decision.permits(),
                                decision.limit(),
                                decision.remaining(),
                                decision.delayMicros(),
                                decision.resetAfterMicros())
                        .withSource(decision.source()));
            }
        }

        @Override
        protected Runnable withdraw() {
            LimiterDecision decision = endOnce();
            if (decision != null) {
                refund(key, decision);
            }
            return () -> {};
        }

        /** The decision that was waited out, for the first caller only; null if there is none. */
        private synchronized @Nullable LimiterDecision endOnce() {
            LimiterDecision decision = over ? null : admitted;
            over = true;
            delayed.remove(this);
            cancelAlarm.run();
            return decision;
        }
    }

    // ---- Changes

    /** Serves the waiters for a key: its state may have changed. */
    public void wake(String key) {
        WaitQueue queue = queues.get(key);
        if (queue != null) {
            queue.serve();
        }
    }

    /** Refuses the waiters that do not fit other limits, and serves the rest. */
    public void limitsChanged() {
        queues.values().forEach(WaitQueue::limitsChanged);
    }

    /** Answers everybody who waits, and who would wait from now on, as the failure policy says. */
    void close() {
        closed = true;
        queues.forEach((key, queue) -> queue.clear().forEach(waiter -> answerByPolicy(key, waiter)));
        delayed.forEach(Delayed::refuse);
    }

    boolean isClosed() {
        return closed;
    }

    private void answerByPolicy(String key, Waiter waiter) {
        answer(key, waiter, permits.byPolicy(key, waiter.permits, waiter.percent), null);
    }

    /** Forgets a queue that has no waiters any more. */
    void remove(String key, WaitQueue queue) {
        queues.remove(key, queue);
    }

    boolean isEmpty() {
        return queues.isEmpty() && delayed.isEmpty();
    }

    // ---- For the queues

    long nanos() {
        return ticker.nanos();
    }

    /** Takes permits that are there now. */
    CompletableFuture<Decision> take(String key, long cost, int percent) {
        return take(key, cost, percent, 0);
    }

    /** A call that throws is one that failed. */
    private CompletableFuture<Decision> take(String key, long cost, int percent, long maxDelay) {
        try {
            return permits.take(key, cost, percent, maxDelay);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    CompletableFuture<Decision> peek(String key, long cost, int percent) {
        try {
            return permits.peek(key, cost, percent);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    void refund(String key, Decision taken) {
        if (taken.allowed()) {
            permits.refund(key, LimiterDecision.of(taken));
        }
    }
}
