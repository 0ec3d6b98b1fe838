package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.Ticker;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.wait.WaitQueues;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The operations behind every method of a limiter on Redis.
 *
 * <pre>
 *   request -> denial cache -> permit batch -> script on Redis -> decision
 *                                                '-- no reply -> failure policy: allow, deny or decide in this process
 * </pre>
 *
 * <p>Each of these answers or passes the request on, and knows only those to its right.
 */
final class RedisLimiterCore {
    private final ScriptCalls calls;
    private final RedisStore.Setup setup;
    private final DenialCache denials;
    private final FallbackCounters counters;
    private final @Nullable PermitBatches batches;
    private final WaitQueues queues;

    RedisLimiterCore(
            String name, RedisStore.Setup setup, LimitScripts scripts, OnFailure onFailure, double batchShare) {
        this.calls = new ScriptCalls(name, setup, scripts, onFailure, this::refund);
        this.setup = setup;
        this.denials = setup.denials();
        this.counters = setup.counters();
        this.batches = batchShare > 0 ? new PermitBatches(calls, setup, batchShare, this::refund) : null;
        this.queues = new WaitQueues(
                new Waited(), setup.scheduler(), Ticker.system(), setup.waits().graceMicros());
        setup.waits().add(queues);
    }

    ScriptCalls calls() {
        return calls;
    }

    LimitScripts scripts() {
        return calls.scripts();
    }

    /** Whether the store with this set-up made it. */
    boolean isOf(RedisStore.Setup setup) {
        return this.setup.connection() == setup.connection();
    }

    boolean takesBatches() {
        return batches != null;
    }

    // ---- Taking

    /** Takes the permits if they are admitted with a delay of at most {@code maxDelay} microseconds. */
    CompletableFuture<Decision> take(String key, long permits, int percent, long maxDelay) {
        if (permits == 0) {
            return calls.peek(key, 0, percent);
        }
        Decision denied = knownDenial(key, permits, percent);
        if (denied != null) {
            return CompletableFuture.completedFuture(denied);
        }
        LimitScripts scripts = scripts();
        if (batches != null && percent == 100 && !scripts.holds() && !scripts.delays()) {
            return batches.take(key, permits);
        }
        return calls.take(key, permits, percent, maxDelay);
    }

    /** What {@link #take} would answer with any delay. */
    CompletableFuture<Decision> peek(String key, long permits, int percent) {
        Decision denied = knownDenial(key, permits, percent);
        return denied == null ? calls.peek(key, permits, percent) : CompletableFuture.completedFuture(denied);
    }

    /** The denial that Redis would repeat, or null if that is not known. */
    private @Nullable Decision knownDenial(String key, long permits, int percent) {
        if (denials.isEmpty()) {
            return null;
        }
        long now = System.nanoTime();
        DenialCache.Denial denied = denials.find(calls, key, permits, percent, now);
        if (denied == null) {
            return null;
        }
        counters.answeredHere.increment();
        return denied.decision(now);
    }

    /** Takes the permits as soon as they are available, if that is within {@code waitMicros}. */
    CompletableFuture<Decision> await(String key, long permits, int percent, long waitMicros) {
        if (waitMicros == 0 || permits == 0) {
            return take(key, permits, percent, waitMicros);
        }
        return queues.await(key, permits, percent, waitMicros);
    }

    /** What those who wait ask for. */
    private final class Waited implements WaitQueues.Permits {
        @Override
        public List<Limit> limits() {
            return scripts().limits();
        }

        @Override
        public CompletableFuture<Decision> take(String key, long permits, int percent, long maxDelay) {
            return RedisLimiterCore.this.take(key, permits, percent, maxDelay);
        }

        @Override
        public CompletableFuture<Decision> peek(String key, long permits, int percent) {
            return RedisLimiterCore.this.peek(key, permits, percent);
        }

        @Override
        public Decision byPolicy(String key, long permits, int percent) {
            return calls.byPolicy(Operation.TAKE, key, permits, percent, 0);
        }

        @Override
        public void refund(String key, LimiterDecision taken) {
            RedisLimiterCore.this.refund(key, taken);
        }
    }

    // ---- Permits that were taken

    /** Refunds all permits; done when Redis has replied or cannot be reached. */
    CompletableFuture<?> refund(String key, LimiterDecision taken) {
        return refund(key, taken, taken.permits());
    }

    /** Refunds the last {@code unused} permits; done when Redis has replied or cannot be reached. */
    CompletableFuture<?> refund(String key, LimiterDecision taken, long unused) {
        return calls.refund(key, taken, unused).thenRun(() -> {
            denials.remove(calls, key); // after the reply: what was denied before it is not known any more
            queues.wake(key);
        });
    }

    /** Releases permits of a concurrency limit; done when Redis has replied or cannot be reached. */
    CompletableFuture<?> release(String key, LimiterDecision taken) {
        CompletableFuture<?> released = calls.release(key, taken);
        return scripts().holds() ? released.thenRun(() -> queues.wake(key)) : released;
    }

    /** Ends the hold of a decision when the lease is over, or by the id. */
    CompletableFuture<OptionalLong> lease(String key, LimiterDecision taken, long leaseMicros) {
        return calls.lease(key, taken, leaseMicros);
    }

    /** Ends the hold of a lease; whether there was one. */
    CompletableFuture<Boolean> releaseLease(String key, long id) {
        return calls.releaseLease(key, id).thenApply(found -> {
            if (found) {
                queues.wake(key);
            }
            return found;
        });
    }

    // ---- Resetting and changing

    /** Fails if Redis does not answer. */
    CompletableFuture<?> reset(String key) {
        if (batches != null) {
            batches.drop(key);
        }
        return calls.reset(key).thenAccept(done -> {
            denials.remove(calls, key);
            queues.wake(key);
            if (!done) {
                throw new IllegalStateException("Redis did not answer; the key is reset in this process only");
            }
        });
    }

    void change(List<Limit> limits) {
        calls.change(limits);
        queues.limitsChanged();
    }
}
