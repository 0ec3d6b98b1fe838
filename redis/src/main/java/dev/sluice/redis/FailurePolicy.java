package dev.sluice.redis;

import dev.sluice.Charge;
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
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The decisions of one limiter while Redis does not answer. */
final class FailurePolicy {
    private static final long RETRY_AFTER_DENY_MICROS = TimeUnit.MILLISECONDS.toMicros(100);

    private final OnFailure onFailure;
    private final FallbackCounters counters;
    private final Store memory;
    private final Limiter local;

    FailurePolicy(OnFailure onFailure, FallbackCounters counters, Store memory, List<Limit> limits) {
        this.onFailure = onFailure;
        this.counters = counters;
        this.memory = memory;
        this.local =
                Limiter.builder(limits.toArray(Limit[]::new)).boundOf(memory).build();
    }

    /** Decides on a request; a peek takes nothing. */
    Decision decide(LimitScripts scripts, Operation operation, String key, long permits, int percent, long maxDelay) {
        if (operation == Operation.PEEK) {
            return onFailure == OnFailure.LOCAL ? local(percent).peek(key, permits) : alone(scripts, permits);
        }
        count();
        if (onFailure != OnFailure.LOCAL) {
            return alone(scripts, permits);
        }
        return maxDelay == LimitScripts.ANY_DELAY || !scripts.delays()
                ? local(percent).decide(key, permits)
                : memory.decideAll(List.of(charge(key, permits, percent, maxDelay)))
                        .join()
                        .get(0);
    }

    /** The decision of a policy that counts nothing. */
    Decision alone(LimitScripts scripts, long permits) {
        long capacity = scripts.capacity();
        LimiterDecision decision = onFailure == OnFailure.ALLOW
                ? LimiterDecision.allowed(permits, capacity, capacity, 0)
                : LimiterDecision.denied(
                        Outcome.DENIED, permits, capacity, 0, RETRY_AFTER_DENY_MICROS, RETRY_AFTER_DENY_MICROS);
        return decision.withSource(Source.FAILURE_POLICY);
    }

    /** Whether the limiter of this process decides. */
    boolean isLocal() {
        return onFailure == OnFailure.LOCAL;
    }

    /** A charge to the limiter of this process, with a delay of at most {@code maxDelay} microseconds. */
    Charge charge(String key, long permits, int percent, long maxDelay) {
        Duration longest =
                maxDelay == LimitScripts.ANY_DELAY ? Decision.NEVER : Duration.of(maxDelay, ChronoUnit.MICROS);
        return new Charge(local(percent), key, permits, longest);
    }

    private Limiter local(int percent) {
        return percent == 100 ? local : local.withShare(percent);
    }

    /** Counts a decision of this policy. */
    void count() {
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
