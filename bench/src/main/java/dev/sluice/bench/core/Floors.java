package dev.sluice.bench.core;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What no limiter can be cheaper than: the least work that still reads the clock and keeps a fact.
 *
 * <p>The fact kept is a time that never runs back and moves with every call, so that each swap really writes. A floor
 * retries a lost swap, as every limiter has to.
 */
final class Floors {
    private Floors() {}

    /** An allowed request: one read of the clock, one swap. */
    static boolean clockCas(AtomicLong latest) {
        long now = System.nanoTime();
        long seen;
        do {
            seen = latest.get();
        } while (!latest.compareAndSet(seen, Math.max(seen, now) + 1));
        return true;
    }

    /** A denied request: one read of the clock, one of the state, nothing written. */
    static boolean clockRead(AtomicLong closedUntil) {
        long now = System.nanoTime();
        return now - closedUntil.get() >= 0;
    }
}
