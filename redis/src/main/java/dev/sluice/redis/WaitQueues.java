package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.Scheduler;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this process, in one queue for each key and share: first come, first served.
 *
 * <p>Only the first waiter of a queue calls Redis, and again after the {@code retryAfter} of a denial. The processes of a
 * fleet do not know each other's queues. Nothing is taken before it is a waiter's turn, so a waiter that leaves has taken
 * nothing.
 */
final class WaitQueues {
    /** Takes permits if they are available now. */
    interface Take {
        CompletableFuture<Decision> take(String key, long permits, int percent, long maxDelay);
    }

    /** The pause between attempts on a concurrency limit: other processes do not announce a release. */
    private static final long POLL_HELD_MICROS = 20_000;

    private record QueueKey(String key, int percent) {}

    private static final class Waiter extends CompletableFuture<Decision> {
        private final QueueKey queue;
        private final long permits;
        private final long deadlineNanos;
        private volatile Runnable cancelAlarm = () -> {};

        Waiter(QueueKey queue, long permits, long deadlineNanos) {
            this.queue = queue;
            this.permits = permits;
            this.deadlineNanos = deadlineNanos;
        }

        long microsLeft() {
            return TimeUnit.NANOSECONDS.toMicros(deadlineNanos - System.nanoTime());
        }
    }

    private final ScriptCalls calls;
    private final Scheduler scheduler;
    private final Take take;
    private final BiConsumer<String, Decision> refund;
    /** A queue is changed only inside compute, and never left empty. */
    private final ConcurrentHashMap<QueueKey, Deque<Waiter>> queues = new ConcurrentHashMap<>();

    WaitQueues(ScriptCalls calls, Scheduler scheduler, Take take, BiConsumer<String, Decision> refund) {
        this.calls = calls;
        this.scheduler = scheduler;
        this.take = take;
        this.refund = refund;
    }

    /** Waits for the permits, or refuses at once if they cannot be had in time. */
    CompletableFuture<Decision> join(String key, long permits, int percent, long waitMicros) {
        long waitNanos = Math.min(Long.MAX_VALUE / 4, TimeUnit.MICROSECONDS.toNanos(waitMicros));
        Waiter waiter = new Waiter(new QueueKey(key, percent), permits, System.nanoTime() + waitNanos);
        long[] ahead = {0};
        queues.compute(waiter.queue, (unused, waiters) -> {
            Deque<Waiter> queue = waiters == null ? new ArrayDeque<>() : waiters;
            queue.forEach(each -> ahead[0] += each.permits);
            queue.add(waiter);
            return queue;
        });
        waiter.whenComplete((decision, cancelled) -> leave(waiter));
        if (ahead[0] == 0) {
            attempt(waiter);
        } else {
            refuseIfHopeless(waiter, ahead[0]);
        }
        return waiter;
    }

    /** Lets the first waiters for a key try again: its state may have changed. */
    void wake(String key) {
        queues.forEach((queueKey, queue) -> {
            if (queueKey.key.equals(key)) {
                wakeFirst(queueKey);
            }
        });
    }

    /** The same for every key. */
    void wakeAll() {
        queues.keySet().forEach(this::wakeFirst);
    }

    private void wakeFirst(QueueKey queueKey) {
        Waiter first = first(queueKey);
        if (first != null) {
            attempt(first);
        }
    }

    private void attempt(Waiter waiter) {
        String key = waiter.queue.key;
        take.take(key, waiter.permits, waiter.queue.percent, 0).thenAccept(decision -> {
            if (decision.allowed()) {
                if (!waiter.complete(decision)) {
                    refund.accept(key, decision);
                }
            } else if (isHopeless(waiter, decision)) {
                waiter.complete(decision);
            } else {
                attemptAfter(waiter, holds() ? POLL_HELD_MICROS : decision.retryAfterMicros());
            }
        });
    }

    private boolean holds() {
        return calls.scripts().holds();
    }

    /** Held permits may be released by anybody at any time, so a waiter for them waits until its deadline. */
    private boolean isHopeless(Waiter waiter, Decision denied) {
        long left = waiter.microsLeft();
        return denied.outcome() == Outcome.NEVER || left <= 0 || (!holds() && denied.retryAfterMicros() > left);
    }

    /** Tries again then, unless something gives a reason to try earlier. */
    private void attemptAfter(Waiter waiter, long micros) {
        waiter.cancelAlarm.run();
        waiter.cancelAlarm = after(micros, () -> {
            if (!waiter.isDone()) {
                attempt(waiter);
            }
        });
    }

    /** A waiter behind others waits for their permits too, and is refused if all of them cannot be had in time. */
    private void refuseIfHopeless(Waiter waiter, long ahead) {
        calls.peek(waiter.queue.key, ahead + waiter.permits, waiter.queue.percent)
                .thenAccept(decision -> {
                    boolean known = !decision.allowed() && decision.outcome() != Outcome.NEVER;
                    if (known && isHopeless(waiter, decision)) {
                        waiter.complete(LimiterDecision.denied(
                                        decision.outcome(),
                                        waiter.permits,
                                        decision.limit(),
                                        decision.remaining(),
                                        decision.retryAfterMicros(),
                                        decision.resetAfterMicros())
                                .withSource(decision.source()));
                    } else if (!waiter.isDone()) {
                        after(waiter.microsLeft(), () -> expire(waiter));
                    }
                });
    }

    private void expire(Waiter waiter) {
        if (!waiter.isDone()) {
            calls.peek(waiter.queue.key, waiter.permits, waiter.queue.percent).thenAccept(decision -> {
                if (!decision.allowed()) {
                    waiter.complete(decision);
                } else {
                    attempt(waiter);
                }
            });
        }
    }

    private void leave(Waiter waiter) {
        waiter.cancelAlarm.run();
        boolean[] wasFirst = {false};
        queues.computeIfPresent(waiter.queue, (unused, queue) -> {
            wasFirst[0] = queue.peek() == waiter;
            queue.remove(waiter);
            return queue.isEmpty() ? null : queue;
        });
        if (wasFirst[0]) {
            wakeFirst(waiter.queue);
        }
    }

    private @Nullable Waiter first(QueueKey queueKey) {
        Waiter[] first = {null};
        queues.computeIfPresent(queueKey, (unused, queue) -> {
            first[0] = queue.peek();
            return queue;
        });
        return first[0];
    }

    /** Runs the action even after the store was closed: then the failure policy answers the waiter. */
    private Runnable after(long micros, Runnable action) {
        return scheduler.schedule(Math.max(1, micros), action);
    }
}
