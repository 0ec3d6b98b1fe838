package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.Scheduler;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
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
    private final Scheduler scheduler;
    private final WaitQueues queues;

    RedisLimiterCore(
            String name, RedisStore.Setup setup, LimitScripts scripts, OnFailure onFailure, double batchShare) {
        this.calls = new ScriptCalls(name, setup, scripts, onFailure);
        this.setup = setup;
        this.denials = setup.denials();
        this.counters = setup.counters();
        this.batches = batchShare > 0 ? new PermitBatches(calls, this::refund, counters, batchShare) : null;
        this.scheduler = setup.scheduler();
        this.queues = new WaitQueues(
                calls, setup.scheduler(), this::take, (key, taken) -> refund(key, LimiterDecision.of(taken)));
        if (batches != null) {
            batches.sweepOn(setup.executor());
        }
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
        Decision denied = denials.find(calls, key, permits, percent, System.nanoTime());
        if (denied != null) {
            counters.answeredHere.increment();
        }
        return denied;
    }

    /** Takes the permits as soon as they are available, if that is within {@code waitMicros}. */
    CompletableFuture<Decision> await(String key, long permits, int percent, long waitMicros) {
        if (waitMicros == 0 || permits == 0) {
            return take(key, permits, percent, waitMicros);
        }
        return scripts().delays()
                ? delayed(key, permits, percent, waitMicros)
                : queues.join(key, permits, percent, waitMicros);
    }

    /** Waits for the delay of a queueing limit. */
    private CompletableFuture<Decision> delayed(String key, long permits, int percent, long waitMicros) {
        CompletableFuture<Decision> waiter = new CompletableFuture<>();
        take(key, permits, percent, waitMicros)
                .thenAccept(decision -> scheduler.schedule(decision.delayMicros(), () -> {
                    if (!waiter.complete(LimiterDecision.of(decision).undelayed()) && decision.allowed()) {
                        refund(key, LimiterDecision.of(decision));
                    }
                }));
        return waiter;
    }

    // ---- Permits that were taken

    /** Refunds all permits; done when Redis has replied or cannot be reached. */
    CompletableFuture<?> refund(String key, LimiterDecision taken) {
        return refund(key, taken, taken.permits());
    }

    /** Refunds the last {@code unused} permits; done when Redis has replied or cannot be reached. */
    CompletableFuture<?> refund(String key, LimiterDecision taken, long unused) {
        denials.remove(calls, key);
        return calls.refund(key, taken, unused).thenRun(() -> queues.wake(key));
    }

    /** Releases permits of a concurrency limit; done when Redis has replied or cannot be reached. */
    CompletableFuture<?> release(String key, LimiterDecision taken) {
        return calls.release(key, taken).thenRun(() -> queues.wake(key));
    }

    // ---- Resetting and changing

    void reset(String key) {
        denials.remove(calls, key);
        if (batches != null) {
            batches.drop(key);
        }
        calls.reset(key).join();
        denials.remove(calls, key);
        queues.wake(key);
    }

    void change(List<Limit> limits) {
        calls.change(limits);
        denials.removeAll(calls);
        queues.wakeAll();
    }
}
