package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.spi.HashedKey;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Answers a denied request in this process until its {@code retryAfter}, so that an attack on one key costs Redis nothing.
 *
 * <p>Why that is safe: only a reset, a refund or a change of the limits can let the request through earlier. One by another
 * process is noticed after {@link #MAX_AGE_NANOS}. One by this process is noticed at once: it notes when it was done, and
 * the replies to calls that began before are not used, however late they come. The age of a denial counts from before
 * Redis was called, so it ends here no later than on Redis.
 *
 * <p>Why it is bounded: each slot holds one denial, and a newer one replaces an older one. A long key is kept as its
 * digest. Over {@code maxBytes} no more denials are added until old ones are gone. For what is not known Redis is called
 * again.
 */
final class DenialCache {
    /** How long a denial is used without another call to Redis. */
    static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int SLOT_BITS = 16;
    private static final long MAX_BYTES = 64L << 20;
    private static final int HEAP_PART = 64;
    // the bytes on the heap of each part of a denial, with its share of the lists that hold them
    private static final long DENIAL_BYTES = 64;
    private static final long STANDING_BYTES = 40;
    private static final long DECISION_BYTES = 128;
    private static final long STRING_BYTES = 64;

    /** How a limiter that was asked together with one that denied stands without the request. */
    record Standing(ScriptCalls limiter, Object key, int percent, LimiterDecision decision) {
        static Standing of(ScriptCalls limiter, String key, int percent, Decision decision) {
            return new Standing(limiter, HashedKey.of(key), percent, LimiterDecision.of(decision));
        }

        boolean isOf(ScriptCalls limiter, String key, int percent) {
            return this.limiter == limiter && this.percent == percent && this.key.equals(HashedKey.of(key));
        }
    }

    /** A standing that denies, with those of the limiters that were asked in the same call. */
    record Denial(Standing standing, List<Limit> limits, List<Standing> others, long calledAtNanos, long bytes) {
        private boolean answers(ScriptCalls limiter, String key, long permits, int percent) {
            return standing.decision.permits() == permits
                    && limits == limiter.scripts().limits()
                    && standing.isOf(limiter, key, percent);
        }

        /** What Redis would reply now. */
        Decision decision(long nowNanos) {
            return aged(standing.decision, micros(nowNanos - calledAtNanos));
        }

        /** How a limiter stands that was asked in the same call; null if it was not. */
        @Nullable
        Decision other(ScriptCalls limiter, String key, int percent, long nowNanos) {
            for (int i = 0; i < others.size(); i++) {
                Standing other = others.get(i);
                if (other.isOf(limiter, key, percent)) {
                    return aged(other.decision, micros(nowNanos - calledAtNanos));
                }
            }
            return null;
        }
    }

    private final AtomicReferenceArray<@Nullable Denial> slots = new AtomicReferenceArray<>(1 << SLOT_BITS);
    /** When this process last gave permits of a key in the slot back; 0 if never. */
    private final AtomicLongArray forgottenAtNanos = new AtomicLongArray(1 << SLOT_BITS);

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong sweptAtNanos = new AtomicLong(System.nanoTime());
    private final long maxBytes;

    /** A cache of at most a 64th of the largest heap that the JVM may use, and at most 64 MB. */
    DenialCache() {
        this(Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / HEAP_PART));
    }

    DenialCache(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    boolean isEmpty() {
        return bytes.get() == 0;
    }

    /** The bytes on the heap that the denials take, by estimate. */
    long bytes() {
        return bytes.get();
    }

    /**
     * Adds the reply to a call made at {@code calledAtNanos}.
     *
     * @param limits the limits that decided
     * @param others the limiters that were asked in the same call
     */
    void add(Standing denied, List<Limit> limits, List<Standing> others, long calledAtNanos) {
        int slot = slot(denied.limiter, denied.key);
        if (denied.decision.outcome() != Outcome.DENIED || isKnownForMore(denied, slots.get(slot), calledAtNanos)) {
            return;
        }
        long size = DENIAL_BYTES + bytes(denied);
        for (Standing other : others) {
            size += bytes(other);
        }
        if (bytes.get() + size > maxBytes) {
            sweep(calledAtNanos);
        }
        if (bytes.addAndGet(size) > maxBytes) {
            bytes.addAndGet(-size);
            return;
        }
        freed(slots.getAndSet(slot, new Denial(denied, limits, others, calledAtNanos, size)));
    }

    /** Whether the same request is denied even for a larger share: that denial serves more requests, and stays. */
    private boolean isKnownForMore(Standing denied, @Nullable Denial known, long nowNanos) {
        return known != null
                && known.standing.percent > denied.percent
                && known.standing.limiter == denied.limiter
                && known.standing.decision.permits() == denied.decision.permits()
                && known.standing.key.equals(denied.key)
                && isUsable(known, slot(denied.limiter, denied.key), nowNanos);
    }

    /** The denial that Redis would repeat now, or null if that is not known. */
    @Nullable
    Denial find(ScriptCalls limiter, String key, long permits, int percent, long nowNanos) {
        int slot = slot(limiter, HashedKey.of(key));
        Denial denial = slots.get(slot);
        return denial != null && denial.answers(limiter, key, permits, percent) && isUsable(denial, slot, nowNanos)
                ? denial
                : null;
    }

    private boolean isUsable(Denial denial, int slot, long nowNanos) {
        long ago = nowNanos - denial.calledAtNanos;
        if (ago >= MAX_AGE_NANOS || micros(ago) >= denial.standing.decision.retryAfterMicros()) {
            return false;
        }
        long forgottenAt = forgottenAtNanos.get(slot);
        return forgottenAt == 0 || denial.calledAtNanos - forgottenAt > 0;
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
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

    /** Forgets what is known of a key, now and from calls that have begun. */
    void remove(ScriptCalls limiter, String key) {
        int slot = slot(limiter, HashedKey.of(key));
        long now = System.nanoTime();
        forgottenAtNanos.accumulateAndGet(
                slot, now == 0 ? 1 : now, (known, next) -> known == 0 || next - known > 0 ? next : known);
        freed(slots.getAndSet(slot, null));
    }

    // ---- Memory

    private void freed(@Nullable Denial denial) {
        if (denial != null) {
            bytes.addAndGet(-denial.bytes);
        }
    }

    /** Drops what is too old to be used; at most once in the time that a denial lives. */
    private void sweep(long nowNanos) {
        long sweptAt = sweptAtNanos.get();
        if (nowNanos - sweptAt < MAX_AGE_NANOS || !sweptAtNanos.compareAndSet(sweptAt, nowNanos)) {
            return;
        }
        for (int i = 0; i < slots.length(); i++) {
            Denial denial = slots.get(i);
            if (denial != null
                    && nowNanos - denial.calledAtNanos >= MAX_AGE_NANOS
                    && slots.compareAndSet(i, denial, null)) {
                freed(denial);
            }
        }
    }

    private static long bytes(Standing standing) {
        long key = standing.key instanceof String string ? STRING_BYTES + 2L * string.length() : STRING_BYTES;
        int parts = standing.decision.parts().size();
        return STANDING_BYTES + key + DECISION_BYTES * (1 + parts);
    }

    private static int slot(ScriptCalls limiter, Object key) {
        int hash = (key.hashCode() + 31 * limiter.limiterName().hashCode()) * 0x9E3779B9;
        return hash >>> (Integer.SIZE - SLOT_BITS);
    }
}
