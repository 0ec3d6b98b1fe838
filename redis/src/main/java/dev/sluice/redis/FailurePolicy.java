package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Outcome;
import dev.sluice.Store;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The decisions of one limiter while Redis does not answer. */
final class FailurePolicy {
    private static final long RETRY_AFTER_DENY_MICROS = TimeUnit.MILLISECONDS.toMicros(100);

    private final OnFailure onFailure;
    private final FallbackCounters counters;
    private final Limiter local;

    FailurePolicy(OnFailure onFailure, FallbackCounters counters, Store memory, List<Limit> limits) {
        this.onFailure = onFailure;
        this.counters = counters;
        this.local =
                Limiter.builder(limits.toArray(Limit[]::new)).boundOf(memory).build();
    }

    /** Decides on a request; a peek takes nothing. */
    Decision decide(LimitScripts scripts, Operation operation, String key, long permits, int percent, long maxDelay) {
        long capacity = scripts.capacity();
        if (operation != Operation.PEEK) {
            count();
        }
        return switch (onFailure) {
            case ALLOW ->
                LimiterDecision.allowed(permits, capacity, capacity, 0).withSource(Source.FAILURE_POLICY);
            case DENY ->
                LimiterDecision.denied(
                                Outcome.DENIED, permits, capacity, 0, RETRY_AFTER_DENY_MICROS, RETRY_AFTER_DENY_MICROS)
                        .withSource(Source.FAILURE_POLICY);
            case LOCAL -> {
                Limiter limiter = percent == 100 ? local : local.withShare(percent);
                if (operation == Operation.PEEK) {
                    yield limiter.peek(key, permits);
                }
                yield maxDelay == LimitScripts.ANY_DELAY || !scripts.delays()
                        ? limiter.decide(key, permits)
                        : limiter.acquireAsync(key, permits, Duration.ZERO).join();
            }
        };
    }

    private void count() {
        switch (onFailure) {
            case ALLOW -> counters.allowedByPolicy.increment();
            case DENY -> counters.deniedByPolicy.increment();
            case LOCAL -> counters.decidedLocally.increment();
        }
    }

    /** The limiter of this process, which decides under {@link OnFailure#LOCAL}. */
    Limiter local() {
        return local;
    }
}
