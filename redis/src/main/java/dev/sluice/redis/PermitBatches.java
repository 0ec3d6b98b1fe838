package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.spi.LimiterDecision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Permits of hot keys, fetched from Redis in batches and spent in this process.
 *
 * <p>Permits are charged before they are spent, so a fleet never spends more than Redis granted. The difference from a call
 * for each decision is the time: a permit is spent up to {@link #MAX_AGE_NANOS} after it was charged. Over any period n
 * processes may therefore spend n batches more than the limit, namely those charged just before the period began.
 *
 * <p>A batch grows while batches are used up quickly, and shrinks while they are not. What is left of a batch at its
 * maximum age is refunded.
 */
final class PermitBatches {
    /** How long a batch may be spent from. */
    static final long MAX_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(2);

    private record Batch(Decision grant, AtomicLong unspent, long chargedAtNanos) {
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
            return now - chargedAtNanos >= MAX_AGE_NANOS;
        }

        Decision decision(long permits) {
            return part(grant, permits, Math.max(0, unspent.get()), Source.BATCH);
        }
    }

    private static final class HotKey {
        private volatile @Nullable Batch batch;
        private volatile long size = 1;
        private volatile long usedAtNanos = System.nanoTime();
        private final AtomicReference<@Nullable CompletableFuture<Decision>> refill = new AtomicReference<>();
    }

    private final ScriptCalls calls;
    private final BiConsumer<String, LimiterDecision> refund;
    private final FallbackCounters counters;
    private final double share;
    private final ConcurrentHashMap<String, HotKey> keys = new ConcurrentHashMap<>();

    /** Batches of up to {@code share} of the limit; {@code refund} takes back what was not spent. */
    PermitBatches(
            ScriptCalls calls, BiConsumer<String, LimiterDecision> refund, FallbackCounters counters, double share) {
        this.calls = calls;
        this.refund = refund;
        this.counters = counters;
        this.share = share;
    }

    /** Refunds old batches from time to time. */
    void sweepOn(ScheduledExecutorService executor) {
        executor.scheduleWithFixedDelay(this::sweep, MAX_AGE_NANOS, MAX_AGE_NANOS, TimeUnit.NANOSECONDS);
    }

    CompletableFuture<Decision> take(String key, long permits) {
        HotKey hot = keys.computeIfAbsent(key, unused -> new HotKey());
        long now = System.nanoTime();
        if (now - hot.usedAtNanos > MAX_AGE_NANOS) {
            hot.usedAtNanos = now; // not on every call: threads would contend for the cache line
        }
        Batch batch = hot.batch;
        if (batch != null && batch.spend(permits, now)) {
            counters.answeredHere.increment();
            return CompletableFuture.completedFuture(batch.decision(permits));
        }
        return refill(key, hot, permits);
    }

    /** Drops the batch of a key whose state was deleted. */
    void drop(String key) {
        HotKey hot = keys.get(key);
        if (hot != null) {
            hot.batch = null;
        }
    }

    /** One caller at a time fetches the next batch; the others wait for it and try again. */
    private CompletableFuture<Decision> refill(String key, HotKey hot, long permits) {
        CompletableFuture<Decision> mine = new CompletableFuture<>();
        CompletableFuture<Decision> other = hot.refill.compareAndExchange(null, mine);
        if (other != null) {
            return other.thenCompose(decision -> {
                if (!isOfRedis(decision)) {
                    return CompletableFuture.completedFuture(byPolicy(key, permits)); // it has waited for Redis too
                }
                return decision.allowed() ? take(key, permits) : fetch(key, permits);
            });
        }
        long size = Math.max(permits, nextSize(hot));
        fetch(key, size)
                .thenCompose(granted -> {
                    if (granted.allowed() || size == permits) {
                        return CompletableFuture.completedFuture(opened(key, hot, granted, permits));
                    } else if (!isOfRedis(granted)) {
                        return CompletableFuture.completedFuture(byPolicy(key, permits));
                    }
                    hot.size = Math.max(1, hot.size / 2);
                    return fetch(key, permits);
                })
                .whenComplete((decision, failure) ->
                        refilled(hot, mine, failure == null ? decision : byPolicy(key, permits)));
        return mine;
    }

    private static void refilled(HotKey hot, CompletableFuture<Decision> refill, Decision decision) {
        hot.refill.set(null);
        refill.complete(decision);
    }

    private CompletableFuture<Decision> fetch(String key, long permits) {
        return calls.take(key, permits, 100, LimitScripts.ANY_DELAY);
    }

    private Decision byPolicy(String key, long permits) {
        return calls.byPolicy(Operation.TAKE, key, permits, 100, LimitScripts.ANY_DELAY);
    }

    /** The first caller's part of a grant; the rest is the next batch. */
    private Decision opened(String key, HotKey hot, Decision granted, long permits) {
        if (!granted.allowed()) {
            return granted;
        }
        long rest = granted.permits() - permits;
        if (!isOfRedis(granted)) {
            refundPart(key, granted, rest);
        } else {
            Batch batch = new Batch(granted, new AtomicLong(rest), System.nanoTime());
            refundRest(key, hot.batch);
            hot.batch = batch;
        }
        return part(granted, permits, rest, granted.source());
    }

    private long nextSize(HotKey hot) {
        long largest = Math.max(1, (long) (calls.scripts().capacity() * share));
        Batch last = hot.batch;
        long size = hot.size;
        if (last != null) {
            boolean usedUp = System.nanoTime() - last.chargedAtNanos < MAX_AGE_NANOS / 2;
            boolean hardlyUsed = last.unspent.get() > size / 2;
            size = usedUp ? size * 2 : hardlyUsed ? size / 2 : size;
        } else {
            size = size * 2;
        }
        hot.size = Math.max(1, Math.min(largest, size));
        return hot.size;
    }

    private void refundRest(String key, @Nullable Batch batch) {
        if (batch != null) {
            refundPart(key, batch.grant, batch.unspent.getAndSet(0));
        }
    }

    private void refundPart(String key, Decision grant, long permits) {
        if (permits > 0) {
            refund.accept(key, part(grant, permits, 0, grant.source()));
        }
    }

    /** A decision on some of the permits of a grant, of which {@code unspent} are left. */
    private static LimiterDecision part(Decision grant, long permits, long unspent, Source source) {
        return LimiterDecision.of(grant)
                .ofPermits(permits, grant.remaining() + unspent)
                .withSource(source);
    }

    private static boolean isOfRedis(Decision decision) {
        return decision.source() == Source.REDIS;
    }

    private void sweep() {
        long now = System.nanoTime();
        keys.forEach((key, hot) -> {
            Batch batch = hot.batch;
            if (batch != null && batch.isOver(now)) {
                refundRest(key, batch);
            }
            if (now - hot.usedAtNanos > FORGET_NANOS) {
                keys.remove(key, hot);
            }
        });
    }
}
