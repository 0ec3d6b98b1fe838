package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Denied stays denied: until its retryAfter a denied request is answered here, and an attack costs Redis nothing.
 *
 * <p>Why that is safe: nothing but time lets the request through before then, except a reset, a refund or a change of
 * the limits. Those made by this process are known here; those made elsewhere are noticed when {@link #TRUST_NANOS} are
 * over. Time is counted from before Redis was asked, so a denial ends here no later than there.
 *
 * <p>Why it is bounded: each place holds one denial, and a newer one takes the place of an older. Whoever is forgotten is
 * asked about again.
 */
final class Denials {
    /** How long a denial is believed without asking again. */
    static final long TRUST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int PLACE_BITS = 16;

    private record Denial(SharedState of, String key, int percent, Decision decision, long sinceNanos) {
        boolean answers(SharedState limiter, String key, long permits, int percent) {
            return of == limiter && decision.permits() == permits && this.percent == percent && this.key.equals(key);
        }
    }

    private final AtomicReferenceArray<@Nullable Denial> places = new AtomicReferenceArray<>(1 << PLACE_BITS);

    /** Remembers what Redis said when it was asked at {@code askedAtNanos}. */
    void add(SharedState limiter, String key, int percent, Decision denied, long askedAtNanos) {
        if (denied.outcome() == Outcome.DENIED) {
            places.set(place(limiter, key), new Denial(limiter, key, percent, denied, askedAtNanos));
        }
    }

    /** What Redis would say now, if that is known. */
    @Nullable
    Decision find(SharedState limiter, String key, long permits, int percent, long nowNanos) {
        Denial denial = places.get(place(limiter, key));
        if (denial == null || !denial.answers(limiter, key, permits, percent)) {
            return null;
        }
        long agoNanos = nowNanos - denial.sinceNanos;
        long agoMicros = agoNanos / 1000;
        Decision then = denial.decision;
        if (agoNanos >= TRUST_NANOS || agoMicros >= then.retryAfterMicros()) {
            return null;
        }
        return aged(then, agoMicros);
    }

    private static Decision aged(Decision then, long micros) {
        Decision now = new Decision(
                then.retryAfterMicros() > micros ? then.outcome() : Outcome.ALLOWED,
                then.permits(),
                then.limit(),
                then.remaining(),
                less(then.retryAfterMicros(), micros),
                less(then.resetAfterMicros(), micros),
                0,
                0,
                then.source(),
                List.of());
        return then.parts().isEmpty()
                ? now
                : now.withParts(
                        then.parts().stream().map(part -> aged(part, micros)).toList());
    }

    private static long less(long micros, long ago) {
        return micros == Decision.NEVER_MICROS ? micros : Math.max(0, micros - ago);
    }

    /** The key may have changed. */
    void forget(SharedState limiter, String key) {
        places.set(place(limiter, key), null);
    }

    /** Every key of the limiter may have changed. */
    void forgetAll(SharedState limiter) {
        for (int i = 0; i < places.length(); i++) {
            Denial denial = places.get(i);
            if (denial != null && denial.of == limiter) {
                places.compareAndSet(i, denial, null);
            }
        }
    }

    private static int place(SharedState limiter, String key) {
        int hash = (key.hashCode() + 31 * limiter.name().hashCode()) * 0x9E3779B9;
        return hash >>> (Integer.SIZE - PLACE_BITS);
    }
}
