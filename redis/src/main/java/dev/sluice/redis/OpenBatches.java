package dev.sluice.redis;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/** The batches of all limiters of a store. A limiter that nobody uses any more is forgotten. */
final class OpenBatches {
    private final Set<PermitBatches> all = Collections.newSetFromMap(new WeakHashMap<>());

    synchronized void add(PermitBatches batches) {
        all.add(batches);
    }

    /** The permits that were charged and are not spent. */
    long unspent() {
        return sum(PermitBatches::unspent);
    }

    /** The most permits that may be charged and not spent, with the keys that are hot now. */
    long maxUnspent() {
        return sum(PermitBatches::maxUnspent);
    }

    /** Refunds them, as far as Redis replies within the time. */
    void refundAll(long nanos) {
        CompletableFuture<?>[] refunds;
        synchronized (this) {
            refunds = all.stream().flatMap(PermitBatches::refundAll).toArray(CompletableFuture<?>[]::new);
        }
        CompletableFuture.allOf(refunds)
                .completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
                .exceptionally(failure -> null)
                .join();
    }

    private synchronized long sum(ToLongFunction<PermitBatches> number) {
        return all.stream().mapToLong(number).sum();
    }
}
