package dev.sluice.algorithm;

/**
 * A constant rate in whole numbers.
 *
 * <pre>
 * permits per period, reduced:   permits / period = speed / weight   (gcd taken out)
 *
 *   one permit      weighs   {@code weight} units
 *   one microsecond regains  {@code speed}  units
 * </pre>
 *
 * <p>So nothing is ever rounded: 3 per second is weight 1,000,000 and speed 3. The whole bucket weighs at most 2^53
 * units, which keeps every product below that too, and exact in Lua's doubles.
 */
public final class Rate {
    private static final long MAX_UNITS = 1L << 53;

    /** Units that one permit weighs. */
    final long weight;
    /** Units regained in one microsecond. */
    final long speed;
    /** Units in a full bucket. */
    final long capacity;
    /** Microseconds in which an empty bucket is full again, rounded up. */
    final long fillMicros;

    private Rate(long weight, long speed, long capacity) {
        this.weight = weight;
        this.speed = speed;
        this.capacity = capacity;
        this.fillMicros = microsFor(capacity);
    }

    /** {@code permits} per {@code periodMicros}, in a bucket of {@code capacity} permits. */
    public static Rate of(long permits, long periodMicros, long capacity) {
        long gcd = gcd(permits, periodMicros);
        long weight = periodMicros / gcd;
        if (capacity > MAX_UNITS / weight) {
            throw new IllegalArgumentException(
                    permits + " permits per " + periodMicros + " microseconds with a bucket of "
                            + capacity + " cannot be kept exactly: " + capacity + " x " + weight
                            + " is beyond 2^53. Choose a smaller bucket, or permits that share more factors with the period");
        }
        return new Rate(weight, permits / gcd, capacity * weight);
    }

    /** Whole permits in so many units. */
    long permits(long units) {
        return units / weight;
    }

    /** Units that {@code permits} weigh; at most the bucket and one permit more, which fits in no bucket. */
    long units(long permits) {
        return permits > capacity / weight ? capacity + weight : permits * weight;
    }

    /** Units regained in {@code micros}, at most the whole bucket. */
    long regained(long micros) {
        return micros >= fillMicros ? capacity : micros * speed;
    }

    /** Microseconds until {@code units} are regained, rounded up. */
    long microsFor(long units) {
        return (units + speed - 1) / speed;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
