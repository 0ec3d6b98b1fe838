package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The batch of one hot key, and the requests that wait for the next one.
 *
 * <p>One call to Redis at a time fetches permits for all who wait and the next batch. When so many are not there, it asks
 * again for what the denial says is there. When about the timeout has passed since a request came, and it would have to wait
 * for another call, the failure policy decides it.
 *
 * <p>A batch grows while batches are used up quickly, and shrinks while they are not.
 */
final class BatchedKey {
    private record Batch(Decision grant, long size, AtomicLong unspent, long chargedAtNanos) {
        boolean spend(long permits, long now) {
            if (isOver(now)) {
                return false;
            }
            long left = unspent.get();
            while (left >= permits) {
                if (unspent.compareAndSet(left, left - permits)) {
                    return true;
                }
                left = unspent.get();
            }
            return false;
        }

        boolean isOver(long now) {
            return now - chargedAtNanos >= PermitBatches.MAX_AGE_NANOS;
        }

        Decision decision(long permits) {
            return part(grant, permits, Math.max(0, unspent.get()), Source.BATCH);
        }
    }

    /** A request that waits for permits. */
    private static final class Ask extends CompletableFuture<Decision> {
        private final long permits;
        private final long askedAtNanos;

        Ask(long permits, long askedAtNanos) {
            this.permits = permits;
            this.askedAtNanos = askedAtNanos;
        }
    }

    private final PermitBatches batches;
    private final String key;
    private final ConcurrentLinkedQueue<Ask> asks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean refilling = new AtomicBoolean();
    private volatile @Nullable Batch batch;
    private volatile long usedAtNanos = System.nanoTime();
    /** Whether nothing may be asked for any more; changed and read under the lock. */
    private boolean forgotten;

    // ---- Only for the one who refills

    private final Deque<Ask> waiting = new ArrayDeque<>();
    private long size = 1;

    BatchedKey(PermitBatches batches, String key) {
        this.batches = batches;
        this.key = key;
    }

    /** Takes permits; null if this key was forgotten. */
    @Nullable
    CompletableFuture<Decision> take(long permits) {
        long now = System.nanoTime();
        if (now - usedAtNanos > PermitBatches.MAX_AGE_NANOS) {
            usedAtNanos = now; // not on every call: threads would contend for the cache line
        }
        Batch open = batch;
        if (open != null && open.spend(permits, now)) {
            batches.counters.answeredHere.increment();
            return CompletableFuture.completedFuture(open.decision(permits));
        }
        Ask ask = new Ask(permits, now);
        if (!add(ask)) {
            return null;
        }
        refill();
        return ask;
    }

    private synchronized boolean add(Ask ask) {
        return !forgotten && asks.add(ask);
    }

    void drop() {
        batch = null;
    }

    long unspent() {
        Batch open = batch;
        return open == null ? 0 : Math.max(0, open.unspent.get());
    }

    /** Forgets this key if it is idle and no permits are on their way. Then its batch is refunded, and no other comes. */
    boolean forgetIfIdle(long now, long nanos) {
        synchronized (this) {
            // in this order: who takes a request out of the queue has begun to refill before
            if (!isIdle(now, nanos) || !asks.isEmpty() || refilling.get()) {
                return false;
            }
            forgotten = true;
        }
        Batch last = batch;
        if (last != null) {
            refundRest(last);
        }
        return true;
    }

    /** Whether nobody has come for that long, or hardly anybody while the last batch could be spent. */
    private boolean isIdle(long now, long nanos) {
        Batch open = batch;
        boolean hardlyUsed = open != null
                && open.isOver(now)
                && open.size - open.unspent.get() < PermitBatches.HOT_CALLS / 4
                && open.size >= PermitBatches.HOT_CALLS;
        return hardlyUsed || now - usedAtNanos > nanos;
    }

    void refundIfOver(long now) {
        Batch open = batch;
        if (open != null && open.isOver(now)) {
            refundRest(open);
        }
    }

    // ---- Refilling

    private void refill() {
        while (!asks.isEmpty() && refilling.compareAndSet(false, true)) {
            if (!round()) {
                return; // the reply goes on
            }
            refilling.set(false);
        }
    }

    /** Serves those who wait, by calls to Redis as far as needed; false if a reply will go on. */
    private boolean round() {
        while (true) {
            admitAsks();
            serveFromBatch();
            answerOverdue();
            if (waiting.isEmpty()) {
                return true;
            }
            if (!fetch(wanted(batches.calls.scripts().capacity(), nextSize()))) {
                return false;
            }
        }
    }

    private void admitAsks() {
        for (Ask ask = asks.poll(); ask != null; ask = asks.poll()) {
            if (!ask.isDone()) { // else its owner has completed it
                waiting.add(ask);
            }
        }
    }

    /** Fetches permits for those who wait; false if a reply will go on. */
    private boolean fetch(long permits) {
        int before = waiting.size();
        CompletableFuture<Decision> reply =
                batches.fetch(key, permits, waiting.getFirst().askedAtNanos, () -> before + asks.size());
        if (reply.isDone()) {
            Decision decision = reply.isCompletedExceptionally() ? null : reply.join();
            return replied(permits, decision);
        }
        reply.whenComplete((decision, failure) -> {
            if (replied(permits, decision) && round()) {
                refilling.set(false);
                refill();
            }
        });
        return false;
    }

    /** Serves those who wait from a reply; false if another one will go on. */
    private boolean replied(long permits, @Nullable Decision decision) {
        if (decision == null || decision.source() != Source.REDIS) {
            if (decision != null && decision.allowed()) {
                batches.refund(key, LimiterDecision.of(decision)); // each decides by the policy for itself
            }
            admitAsks(); // they have waited for Redis too
            answer(ask -> true, ask -> batches.byPolicy(key, ask.permits));
            return true;
        }
        if (decision.allowed()) {
            serve(decision);
            return true;
        }
        size = Math.max(1, size / 2);
        refuse(decision);
        answerOverdue();
        return waiting.isEmpty() || fetch(wanted(Math.min(permits - 1, decision.remaining()), size));
    }

    /** Those who wait get their part, in order; the rest is the next batch. */
    private void serve(Decision granted) {
        long left = granted.permits();
        for (Ask ask = waiting.peek(); ask != null && ask.permits <= left; ask = waiting.peek()) {
            waiting.remove();
            left -= ask.permits;
            answer(ask, part(granted, ask.permits, left, granted.source()));
        }
        Batch last = batch;
        batch = new Batch(granted, left, new AtomicLong(left), System.nanoTime());
        if (last != null) {
            refundRest(last);
        }
        answerOverdue();
    }

    /** A denial answers everybody who asked for as many permits. */
    private void refuse(Decision denied) {
        answer(ask -> ask.permits == denied.permits(), ask -> denied);
    }

    private void serveFromBatch() {
        Batch open = batch;
        long now = System.nanoTime();
        while (open != null && !waiting.isEmpty() && open.spend(waiting.peek().permits, now)) {
            Ask ask = waiting.remove();
            batches.counters.answeredHere.increment();
            answer(ask, open.decision(ask.permits));
        }
    }

    /** Nobody waits for another call that may not end within twice the timeout. */
    private void answerOverdue() {
        answer(ask -> batches.calls.isLate(ask.askedAtNanos), ask -> batches.byPolicy(key, ask.permits));
    }

    private void answer(Predicate<Ask> which, Function<Ask, Decision> decision) {
        List<Ask> answered = waiting.stream().filter(which).toList();
        waiting.removeAll(answered);
        answered.forEach(ask -> answer(ask, decision.apply(ask)));
    }

    /** What arrives for a request whose owner has completed the future is refunded. */
    private void answer(Ask ask, Decision decision) {
        if (!ask.complete(decision) && decision.allowed()) {
            var unused = batches.refund(key, LimiterDecision.of(decision));
        }
    }

    /**
     * What those who wait ask for, and the next batch; no more than {@code most}, unless the first alone asks for more. Who
     * does not fit is left out, with all behind it: its part would become the batch.
     */
    private long wanted(long most, long batchSize) {
        long first = waiting.getFirst().permits;
        long sum = 0;
        for (Ask ask : waiting) {
            if (ask.permits > most - sum) {
                break;
            }
            sum += ask.permits;
        }
        return Math.max(first, Math.min(most, sum + batchSize));
    }

    private long nextSize() {
        Batch last = batch;
        if (last != null) {
            boolean usedUp = System.nanoTime() - last.chargedAtNanos < PermitBatches.MAX_AGE_NANOS / 2;
            boolean hardlyUsed = last.unspent.get() > size / 2;
            size = usedUp ? size * 2 : hardlyUsed ? size / 2 : size;
        }
        size = Math.max(1, Math.min(batches.largestBatch(), size));
        return size;
    }

    /** Refunds what is left of the batch. */
    CompletableFuture<?> refundRest() {
        Batch open = batch;
        return open == null ? CompletableFuture.completedFuture(null) : refundRest(open);
    }

    private CompletableFuture<?> refundRest(Batch open) {
        long rest = open.unspent.getAndSet(0);
        return rest <= 0
                ? CompletableFuture.completedFuture(null)
                : batches.refund(key, part(open.grant, rest, 0, open.grant.source()));
    }

    /** A decision on some of the permits of a grant, of which {@code unspent} are left. */
    private static LimiterDecision part(Decision grant, long permits, long unspent, Source source) {
        return LimiterDecision.of(grant)
                .ofPermits(permits, grant.remaining() + unspent)
                .withSource(source);
    }
}
