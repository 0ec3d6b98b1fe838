package dev.sluice.local;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.algorithm.State;
import dev.sluice.spi.LimiterDecision;
import dev.sluice.spi.PendingDecision;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The waits on one limiter: a {@link WaitQueue} for each entry that somebody waits for, and those who wait out the delay
 * of a leaky bucket.
 */
final class WaitQueues {
    private final LimiterCore core;
    private final ConcurrentHashMap<Entry, WaitQueue> queues = new ConcurrentHashMap<>();
    private final Set<Delayed> delayed = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean moving = new AtomicBoolean();
    private volatile boolean closed;

    WaitQueues(LimiterCore core) {
        this.core = core;
    }

    /** Takes {@code permits} as soon as they can be had, if that is within {@code maxWait}. */
    CompletableFuture<Decision> await(String key, long permits, int percent, long maxWait) {
        long wait = closed ? 0 : maxWait;
        Decision now = core.decide(key, permits, percent, wait);
        if (now.delayMicros() > 0) {
            return delay(key, percent, LimiterDecision.of(now));
        }
        // with a leaky bucket that queues, as many wait as it admits, by their delay
        boolean canWait = wait > 0 && (!core.delays() || queues.containsKey(core.entry(key)));
        return now.outcome() == Outcome.DENIED && canWait
                ? enqueue(key, permits, percent, wait)
                : CompletableFuture.completedFuture(now);
    }

    private CompletableFuture<Decision> enqueue(String key, long permits, int percent, long maxWait) {
        long now = core.clock();
        long deadline = maxWait > State.NEVER - Math.max(0, now) ? State.NEVER : now + maxWait;
        Waiter waiter = new Waiter(key, permits, percent, deadline);
        join(waiter);
        return waiter;
    }

    private void join(Waiter waiter) {
        for (int tries = 0; !queueToJoin(waiter.key).join(waiter); tries++) {
            LimiterCore.relax(tries);
        }
    }

    private WaitQueue queueToJoin(String key) {
        return queues.computeIfAbsent(core.entry(key), entry -> new WaitQueue(core, this, entry));
    }

    /**
     * Those who wait for an entry that several keys share go on waiting, each by its own key, if {@code retire} ends the
     * use of that entry. A call that comes at the same moment may go before them. Does nothing while another thread is at
     * it, or this one.
     */
    void moveFrom(Entry shared, BooleanSupplier retire) {
        WaitQueue queue = queues.get(shared);
        if (queue == null || !moving.compareAndSet(false, true)) {
            return;
        }
        try {
            for (Waiter waiter : queue.leaveAll(retire)) {
                try {
                    join(waiter);
                } catch (RuntimeException | Error failure) {
                    waiter.fail(failure);
                }
            }
        } finally {
            moving.set(false);
        }
    }

    /** How many wait for an entry, or waited a moment ago. */
    int roughSize(Entry entry) {
        WaitQueue queue = queues.get(entry);
        return queue == null ? 0 : queue.roughSize();
    }

    private CompletableFuture<Decision> delay(String key, int percent, LimiterDecision admitted) {
        Delayed wait = new Delayed(key, percent, admitted);
        delayed.add(wait);
        wait.cancelAlarm = core.scheduler.schedule(admitted.delayMicros(), wait::end);
        if (closed) {
            wait.refuse();
        }
        return wait;
    }

    /** A request that was admitted, and waits out its delay. */
    private final class Delayed extends PendingDecision {
        private final String key;
        private final int percent;
        private final LimiterDecision admitted;
        private volatile Runnable cancelAlarm = () -> {};

        Delayed(String key, int percent, LimiterDecision admitted) {
            this.key = key;
            this.percent = percent;
            this.admitted = admitted;
        }

        void end() {
            delayed.remove(this);
            answer(admitted.undelayed());
        }

        void refuse() {
            answer(() -> {
                giveUp();
                return core.refusal(key, admitted.permits(), percent);
            });
        }

        @Override
        protected Runnable withdraw() {
            giveUp();
            return () -> {};
        }

        private void giveUp() {
            delayed.remove(this);
            cancelAlarm.run();
            core.refund(key, admitted);
        }
    }

    // ---- For calls that do not wait

    /** The queue of the entry, if those in it go before a request of this share; else null. */
    @Nullable
    WaitQueue barring(Entry entry, int percent) {
        WaitQueue queue = queues.get(entry);
        return queue != null && queue.bars(percent) ? queue : null;
    }

    /** Whether those who wait go before a request of this share, which could go else; if not, it goes before them. */
    boolean bar(Entry entry, int percent) {
        WaitQueue queue = queues.get(entry);
        boolean bars = queue != null && queue.bars(percent);
        if (queue != null && !bars) {
            queue.overtaken();
        }
        return bars;
    }

    // ---- For changes of the state

    /** Serves the waiters of an entry after a call has given permits back. */
    void reconsider(Entry entry) {
        WaitQueue queue = queues.get(entry);
        if (queue != null) {
            queue.reconsider();
        }
    }

    /** Serves the waiters of all entries after permits were given back that may count for several. */
    void reconsiderAll() {
        queues.values().forEach(WaitQueue::reconsider);
    }

    /** Refuses the waiters that have become hopeless under other limits, and serves the rest. */
    void limitsChanged() {
        queues.values().forEach(WaitQueue::limitsChanged);
    }

    /** The same, a moment later on another thread. */
    void limitsChangedLater() {
        if (!queues.isEmpty()) {
            core.scheduler.schedule(0, this::limitsChanged);
        }
    }

    /** Refuses everybody who waits, and who would wait from now on. */
    void close() {
        closed = true;
        refuseAll();
    }

    /** Refuses everybody who waits. */
    void refuseAll() {
        queues.values().forEach(WaitQueue::close);
        delayed.forEach(Delayed::refuse);
    }

    boolean isClosed() {
        return closed;
    }

    /** Forgets a queue that has no waiters any more. */
    void remove(Entry entry, WaitQueue queue) {
        queues.remove(entry, queue);
    }

    /** The queue of a key; null if nobody waits for it. */
    @Nullable
    WaitQueue queue(String key) {
        return queues.get(core.entry(key));
    }

    boolean isEmpty() {
        return queues.isEmpty() && delayed.isEmpty();
    }
}
