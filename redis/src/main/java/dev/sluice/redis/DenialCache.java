package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Answers a denied request in this process until its {@code retryAfter}, so that an attack on one key costs Redis nothing.
 *
 * <p>Why that is safe: only a reset, a refund or a change of the limits can let the request through earlier. This process
 * removes the denial when it does one of these; one by another process is noticed after {@link #MAX_AGE_NANOS}. The age of a
 * denial counts from before Redis was called, so it ends here no later than on Redis.
 *
 * <p>Why it is bounded: each slot holds one denial, and a newer one replaces an older one. For a replaced one Redis is
 * called again.
 */
final class DenialCache {
    /** How long a denial is used without another call to Redis. */
    static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int SLOT_BITS = 16;

    private record Denial(ScriptCalls limiter, String key, int percent, Decision decision, long calledAtNanos) {
        boolean answers(ScriptCalls limiter, String key, long permits, int percent) {
            return this.limiter == limiter
                    && decision.permits() == permits
                    && this.percent == percent
                    && this.key.equals(key);
        }
    }

    private final AtomicReferenceArray<@Nullable Denial> slots = new AtomicReferenceArray<>(1 << SLOT_BITS);

    /** Adds the reply to a call made at {@code calledAtNanos}. */
    void add(ScriptCalls limiter, String key, int percent, Decision denied, long calledAtNanos) {
        if (denied.outcome() == Outcome.DENIED && !isKnownForMore(limiter, key, percent, denied, calledAtNanos)) {
            slots.set(slot(limiter, key), new Denial(limiter, key, percent, denied, calledAtNanos));
        }
    }

    /** Whether the same request is denied even for a larger share: that denial serves more requests, and stays. */
    private boolean isKnownForMore(ScriptCalls limiter, String key, int percent, Decision denied, long calledAtNanos) {
        Denial known = slots.get(slot(limiter, key));
        return known != null
                && known.percent > percent
                && find(limiter, key, denied.permits(), known.percent, calledAtNanos) != null;
    }

    /** What Redis would reply now, or null if that is not known. */
    @Nullable
    Decision find(ScriptCalls limiter, String key, long permits, int percent, long nowNanos) {
        Denial denial = slots.get(slot(limiter, key));
        if (denial == null || !denial.answers(limiter, key, permits, percent)) {
            return null;
        }
        long agoNanos = nowNanos - denial.calledAtNanos;
        long agoMicros = agoNanos / 1000;
        Decision then = denial.decision;
        if (agoNanos >= MAX_AGE_NANOS || agoMicros >= then.retryAfterMicros()) {
            return null;
        }
        return aged(LimiterDecision.of(then), agoMicros);
    }

    private static LimiterDecision aged(LimiterDecision then, long micros) {
        LimiterDecision now = new LimiterDecision(
                then.retryAfterMicros() > micros ? then.outcome() : Outcome.ALLOWED,
                then.permits(),
                then.limit(),
                then.remaining(),
                less(then.retryAfterMicros(), micros),
                less(then.resetAfterMicros(), micros),
                0,
                Decision.Source.DENIAL_CACHE,
                0,
                0,
                0,
                null,
                null,
                List.of());
        return then.parts().isEmpty()
                ? now
                : now.withParts(
                        then.parts().stream().map(part -> aged(part, micros)).toList());
    }

    private static long less(long micros, long ago) {
        return micros == Decision.NEVER_MICROS ? micros : Math.max(0, micros - ago);
    }

    /** Forgets what is known of a key. */
    void remove(ScriptCalls limiter, String key) {
        slots.set(slot(limiter, key), null);
    }

    /** Forgets what is known of all keys of a limiter. */
    void removeAll(ScriptCalls limiter) {
        for (int i = 0; i < slots.length(); i++) {
            Denial denial = slots.get(i);
            if (denial != null && denial.limiter == limiter) {
                slots.compareAndSet(i, denial, null);
            }
        }
    }

    private static int slot(ScriptCalls limiter, String key) {
        int hash = (key.hashCode() + 31 * limiter.limiterName().hashCode()) * 0x9E3779B9;
        return hash >>> (Integer.SIZE - SLOT_BITS);
    }
}
