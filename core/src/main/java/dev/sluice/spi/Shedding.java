package dev.sluice.spi;

import dev.sluice.Limit;
import java.util.List;
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
 *
 * <p>With u permits in use of a limit of L, and f = {@code fromPercent} of L, the chance is (u - f) / (L - f). What the
 * request itself asks for does not count, so a request that finds no more than f in use is never shed.
 */
public final class Shedding {
    private final int fromPercent;
    private final AtomicLong sequence;

    /** Shedding from this percentage of the limit on; the same seed gives the same draws. */
    public Shedding(int fromPercent, long seed) {
        if (fromPercent < 0 || fromPercent > 99) {
            throw new IllegalArgumentException("shedding starts from 0 to 99 percent, was " + fromPercent);
        }
        this.fromPercent = fromPercent;
        this.sequence = new AtomicLong(seed);
    }

    /** The percentage of the limit from which it begins. */
    public int fromPercent() {
        return fromPercent;
    }

    /** Whether to deny a request that a limit with {@code used} permits in use would admit. Each call draws anew. */
    public boolean sheds(long used, long capacity) {
        long from = from(capacity);
        long over = used - from;
        return over > 0 && scaled(next(), capacity - from) < over;
    }

    /**
     * For stores that are asked and charged in one step: the percentage of the limits that a request for {@code permits}
     * may use this time. A limiter {@linkplain dev.sluice.Limiter#withShare for this share} denies the request with the
     * chance that this class describes, in steps of one percent. One draw decides for all the limits.
     */
    public int share(List<Limit> limits, long permits) {
        long draw = next();
        long percent = 1;
        for (int i = 0; i < limits.size(); i++) {
            long capacity = limits.get(i).capacity();
            long from = from(capacity);
            long allowedUse = from + scaled(draw, capacity - from);
            long room = permits < capacity - allowedUse ? allowedUse + permits : capacity;
            percent = Math.max(percent, (100 * room + capacity - 1) / capacity);
        }
        return (int) percent;
    }

    private long from(long capacity) {
        return capacity * fromPercent / 100;
    }

    /** The next draw: SplitMix64. */
    private long next() {
        long z = sequence.getAndAdd(0x9E3779B97F4A7C15L);
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** A draw as a number from 0 up to but not {@code bound}. */
    private static long scaled(long draw, long bound) {
        return Math.multiplyHigh(draw >>> 1, bound << 1);
    }
}
