package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.hotkeys.HotKeys;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * Permits of hot keys, fetched from Redis in batches and spent in this process.
 *
 * <p>Permits are charged before they are spent, so a fleet never spends more than Redis granted. The difference from a call
 * for each decision is the time: a permit is spent up to {@link #MAX_AGE_NANOS} after it was charged. Over any period n
 * processes may therefore spend n batches more than the limit, namely those charged just before the period began.
 *
 * <p>A key is hot when this process asks for it {@link #HOT_CALLS} times within the age of a batch. Other keys cost one
 * call each, as without batches, and no memory here. What is left of a batch at its maximum age is refunded.
 */
final class PermitBatches {
    /** How long a batch may be spent from. */
    static final long MAX_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** From how many calls on, within the age of a batch, a key is hot. */
    static final int HOT_CALLS = 20;

    /** How long a key stays hot that nobody asks for. */
    static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(2);

    final ScriptCalls calls;
    final FallbackCounters counters;
    private final BiFunction<String, LimiterDecision, CompletableFuture<?>> refund;
    private final ScheduledExecutorService executor;
    private final double share;
    private final HotKeys hotKeys = HotKeys.over(HOT_CALLS, Duration.ofNanos(MAX_AGE_NANOS));
    private final ConcurrentHashMap<String, BatchedKey> keys = new ConcurrentHashMap<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** Batches of up to {@code share} of the limit; {@code refund} takes back what was not spent. */
    PermitBatches(
            ScriptCalls calls,
            RedisStore.Setup setup,
            double share,
            BiFunction<String, LimiterDecision, CompletableFuture<?>> refund) {
        this.calls = calls;
        this.counters = setup.counters();
        this.refund = refund;
        this.executor = setup.executor();
        this.share = share;
        counters.batches.add(this);
    }

    CompletableFuture<Decision> take(String key, long permits) {
        while (true) {
            BatchedKey batched = keys.get(key);
            if (batched == null) {
                hotKeys.record(key);
                if (!hotKeys.isHot(key)) {
                    return fetch(key, permits, System.nanoTime(), ResilientConnection.ONE);
                }
                batched = keys.computeIfAbsent(key, unused -> new BatchedKey(this, key));
                scheduleSweep();
            }
            CompletableFuture<Decision> taken = batched.take(permits);
            if (taken != null) {
                return taken;
            }
            keys.remove(key, batched); // forgotten since it was found
        }
    }

    /** Drops the batch of a key whose state was deleted. */
    void drop(String key) {
        BatchedKey batched = keys.get(key);
        if (batched != null) {
            batched.drop();
        }
    }

    /** Refunds all batches; done when Redis has replied, or cannot be reached. */
    Stream<CompletableFuture<?>> refundAll() {
        return keys.values().stream().map(BatchedKey::refundRest);
    }

    /** The permits in batches now, that were charged and not spent. */
    long unspent() {
        return keys.values().stream().mapToLong(BatchedKey::unspent).sum();
    }

    /** The most permits that may be in the batches of the keys that are hot now. */
    long maxUnspent() {
        return keys.size() * largestBatch();
    }

    /** The most permits of one batch. */
    long largestBatch() {
        return Math.max(1, (long) (calls.scripts().capacity() * share));
    }

    // ---- For the keys

    /** Fetches permits for requests of which the first came at {@code askedAtNanos}. */
    CompletableFuture<Decision> fetch(String key, long permits, long askedAtNanos, IntSupplier requests) {
        return calls.takeForAll(key, permits, askedAtNanos, requests);
    }

    Decision byPolicy(String key, long permits) {
        return calls.byPolicy(Operation.TAKE, key, permits, 100, LimitScripts.ANY_DELAY);
    }

    CompletableFuture<?> refund(String key, LimiterDecision unspent) {
        return refund.apply(key, unspent);
    }

    // ---- Sweeping

    private void scheduleSweep() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                executor.schedule(this::sweep, MAX_AGE_NANOS, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) { // the store is closed
                keys.clear();
            }
        }
    }

    /** Refunds old batches, and forgets keys that are not hot any more. */
    private void sweep() {
        scheduled.set(false);
        long now = System.nanoTime();
        keys.forEach((key, batched) -> {
            if (batched.forgetIfIdle(now, FORGET_NANOS)) {
                keys.remove(key, batched);
            } else {
                batched.refundIfOver(now);
            }
        });
        if (!keys.isEmpty()) {
            scheduleSweep();
        }
    }
}
