package dev.sluice;

import dev.sluice.algorithm.State;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Denies at random before the limit is reached.
 *
 * <pre>
 *   chance 1 |                 /
 *            |              /
 *          0 |___________/_____     use of the limit
 *            0        from   100 %
 * </pre>
 */
final class Shedding {
    /** The percentage of the limit from which it begins. */
    final int fromPercent;

    private final AtomicLong sequence;

    Shedding(int fromPercent, long seed) {
        if (fromPercent < 0 || fromPercent > 99) {
            throw new IllegalArgumentException("shedding starts from 0 to 99 percent, was " + fromPercent);
        }
        this.fromPercent = fromPercent;
        this.sequence = new AtomicLong(seed);
    }

    /** Whether to turn away a request that the limit would admit. */
    boolean sheds(State state, long now) {
        State part = state;
        for (int i = 0; (part = state.part(i)) != null; i++) {
            long capacity = part.algorithm().capacity();
            long from = capacity * fromPercent / 100;
            long over = part.used(now) - from;
            if (over > 0 && draw(capacity - from) < over) {
                return true;
            }
        }
        return false;
    }

    /** A number from 0 up to but not {@code bound}, each as likely: SplitMix64, scaled. */
    private long draw(long bound) {
        long z = sequence.getAndAdd(0x9E3779B97F4A7C15L);
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        z ^= z >>> 31;
        return Math.multiplyHigh(z >>> 1, bound << 1);
    }
}
