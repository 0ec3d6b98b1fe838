package dev.sluice.redis;

import dev.sluice.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Permits of hot keys taken from Redis in batches and spent in this process.
 *
 * <p>Nothing is spent before it was charged, so no more permits are ever spent than Redis granted. What differs from
 * asking each time is when: a permit is spent up to {@link #LEASE_NANOS} after it was charged. Over any period a fleet
 * of n processes may so spend n batches more than the limit: those that were charged just before the period began.
 *
 * <p>A batch grows while batches are used up quickly, and shrinks when they are not. What is left of a batch when its
 * time is over is given back.
 */
final class Leases {
    /** How long a batch may be spent from. */
    static final long LEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

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
            return now - chargedAtNanos >= LEASE_NANOS;
        }

        Decision decision(long permits) {
            return Decision.allowed(
                    permits,
                    grant.limit(),
                    grant.remaining() + Math.max(0, unspent.get()),
                    grant.resetAfterMicros(),
                    0,
                    grant.takenAtMicros());
        }
    }

    private static final class HotKey {
        private volatile @Nullable Batch batch;
        private volatile long size = 1;
        private volatile long usedAtNanos = System.nanoTime();
        private final AtomicReference<@Nullable CompletableFuture<Decision>> refill = new AtomicReference<>();
    }

    private final SharedState shared;
    private final double share;
    private final ConcurrentHashMap<String, HotKey> keys = new ConcurrentHashMap<>();

    Leases(SharedState shared, double share) {
        this.shared = shared;
        this.share = share;
        shared.every(TimeUnit.NANOSECONDS.toMicros(LEASE_NANOS), this::sweep);
    }

    CompletableFuture<Decision> take(String key, long permits) {
        HotKey hot = keys.computeIfAbsent(key, unused -> new HotKey());
        long now = System.nanoTime();
        if (now - hot.usedAtNanos > LEASE_NANOS) {
            hot.usedAtNanos = now; // now and then: all who spend would wait for each other to write it
        }
        Batch batch = hot.batch;
        if (batch != null && batch.spend(permits, now)) {
            shared.tally().answeredHere.increment();
            return CompletableFuture.completedFuture(batch.decision(permits));
        }
        return refill(key, hot, permits);
    }

    /** What was leased is not known to be granted any more. */
    void forget(String key) {
        HotKey hot = keys.get(key);
        if (hot != null) {
            hot.batch = null;
        }
    }

    /** One at a time asks for the next batch; the others wait for it and look again. */
    private CompletableFuture<Decision> refill(String key, HotKey hot, long permits) {
        CompletableFuture<Decision> mine = new CompletableFuture<>();
        CompletableFuture<Decision> other = hot.refill.compareAndExchange(null, mine);
        if (other != null) {
            return other.thenCompose(decision -> {
                if (!Receipts.isOfRedis(decision)) {
                    return byPolicy(key, permits); // they have waited for Redis too
                }
                return decision.allowed()
                        ? take(key, permits)
                        : shared.takeFromRedis(key, permits, 100, SharedState.ANY_DELAY);
            });
        }
        long size = Math.max(permits, nextSize(hot));
        CompletableFuture<Decision> asked = shared.takeFromRedis(key, size, 100, SharedState.ANY_DELAY)
                .thenCompose(granted -> {
                    if (granted.allowed() || size == permits) {
                        return CompletableFuture.completedFuture(opened(key, hot, granted, permits));
                    }
                    return Receipts.isOfRedis(granted) ? shrunk(key, hot, permits) : byPolicy(key, permits);
                });
        asked.whenComplete((decision, failure) -> {
            hot.refill.set(null);
            mine.complete(decision);
        });
        return mine;
    }

    private CompletableFuture<Decision> byPolicy(String key, long permits) {
        return CompletableFuture.completedFuture(shared.byPolicy(key, permits, 100));
    }

    private Decision opened(String key, HotKey hot, Decision granted, long permits) {
        if (!granted.allowed()) {
            return granted;
        }
        long rest = granted.permits() - permits;
        if (!Receipts.isOfRedis(granted)) {
            giveBack(key, granted, rest);
        } else {
            Batch batch = new Batch(granted, new AtomicLong(rest), System.nanoTime());
            giveBackRest(key, hot.batch);
            hot.batch = batch;
        }
        return Decision.allowed(
                permits,
                granted.limit(),
                granted.remaining() + rest,
                granted.resetAfterMicros(),
                0,
                granted.takenAtMicros());
    }

    private CompletableFuture<Decision> shrunk(String key, HotKey hot, long permits) {
        hot.size = Math.max(1, hot.size / 2);
        return shared.takeFromRedis(key, permits, 100, SharedState.ANY_DELAY);
    }

    private long nextSize(HotKey hot) {
        long most = Math.max(1, (long) (shared.capacity() * share));
        Batch last = hot.batch;
        long size = hot.size;
        if (last != null) {
            boolean usedUp = System.nanoTime() - last.chargedAtNanos < LEASE_NANOS / 2;
            boolean hardlyUsed = last.unspent.get() > size / 2;
            size = usedUp ? size * 2 : hardlyUsed ? size / 2 : size;
        } else {
            size = size * 2;
        }
        hot.size = Math.max(1, Math.min(most, size));
        return hot.size;
    }

    private void giveBackRest(String key, @Nullable Batch batch) {
        if (batch != null) {
            giveBack(key, batch.grant, batch.unspent.getAndSet(0));
        }
    }

    private void giveBack(String key, Decision grant, long permits) {
        if (permits > 0) {
            shared.giveBack(
                    key,
                    Decision.allowed(
                            permits,
                            grant.limit(),
                            grant.remaining(),
                            grant.resetAfterMicros(),
                            0,
                            grant.takenAtMicros()));
        }
    }

    private void sweep() {
        long now = System.nanoTime();
        keys.forEach((key, hot) -> {
            Batch batch = hot.batch;
            if (batch != null && batch.isOver(now)) {
                giveBackRest(key, batch);
            }
            if (now - hot.usedAtNanos > FORGET_NANOS) {
                keys.remove(key, hot);
            }
        });
    }
}
