package dev.sluice.algorithm;

import java.math.BigInteger;

/**
 * A constant rate in whole numbers.
 *
 * <pre>
 * permits / period = speed / weight, with the common factors taken out
 *
 *   one permit weighs          {@code weight} units
 *   one microsecond regains    {@code speed}  units
 * </pre>
 *
 * <p>So nothing is ever rounded: 3 per second is weight 1,000,000 and speed 3. A full bucket weighs at most 2^53 units,
 * which keeps every product on the way below 2^54, and exact in Lua's doubles too.
 */
public sealed class Rate permits TokenBucket {
    static final long MAX_UNITS = 1L << 53;
    private static final long MAX_DISTANCE = 1000;
    /** More units than any bucket holds, and twice as many still fit a long. */
    private static final long TOO_MANY = 1L << 61;

    /** Units that one permit weighs. */
    final long weight;
    /** Units regained in one microsecond. */
    final long speed;
    /** Permits in a full bucket. */
    final long capacity;
    /** Units in a full bucket. */
    final long capacityUnits;
    /** Permits that still weigh less than {@link #TOO_MANY}. */
    private final long maxPermits;
    /** Microseconds in which an empty bucket is full again, rounded up. */
    final long fillMicros;

    private Rate(long weight, long speed, long capacity) {
        this.weight = weight;
        this.speed = speed;
        this.capacity = capacity;
        this.capacityUnits = capacity * weight;
        this.maxPermits = TOO_MANY / weight;
        this.fillMicros = microsFor(capacityUnits);
    }

    /** The same rate, for a subclass, which then has the numbers in its own fields. */
    Rate(Rate same) {
        this(same.weight, same.speed, same.capacity);
    }

    /** {@code permits} per {@code periodMicros}, in a bucket of {@code capacity} permits. */
    public static Rate of(long permits, long periodMicros, long capacity) {
        long factor = greatestCommonFactor(permits, periodMicros);
        long weight = periodMicros / factor;
        if (!isExact(permits, periodMicros, capacity)) {
            throw new IllegalArgumentException(permits + " permits per " + periodMicros
                    + " microseconds with a bucket of " + capacity + " cannot be kept exactly: " + capacity + " x "
                    + weight + " is beyond 2^53; choose a smaller bucket, or permits that share more factors with the"
                    + " period" + nearest(permits, periodMicros, capacity));
        }
        return new Rate(weight, permits / factor, capacity);
    }

    private static boolean isExact(long permits, long periodMicros, long capacity) {
        return capacity <= MAX_UNITS / (periodMicros / greatestCommonFactor(permits, periodMicros));
    }

    /** For an error: the number of permits nearest to {@code permits} that is exact, if there is one close by. */
    private static String nearest(long permits, long periodMicros, long capacity) {
        for (long distance = 1; distance <= MAX_DISTANCE; distance++) {
            for (long near : new long[] {permits - distance, permits + distance}) {
                if (near > 0 && isExact(near, periodMicros, capacity == permits ? near : capacity)) {
                    return ": " + near + " work";
                }
            }
        }
        return "";
    }

    /** Units that {@code permits} weigh. */
    final long units(long permits) {
        return permits <= maxPermits ? permits * weight : TOO_MANY;
    }

    /** Permits that {@code units} amount to, rounded up. */
    final long permits(long units) {
        return (units + weight - 1) / weight;
    }

    /** Microseconds until {@code units} are regained, rounded up. */
    final long microsFor(long units) {
        return (units + speed - 1) / speed;
    }

    /** What is left to regain of {@code units} after {@code micros}. */
    final long left(long units, long micros) {
        if (micros <= 0) {
            return units;
        }
        return micros < fillMicros || micros < microsFor(units) ? Math.max(0, units - micros * speed) : 0;
    }

    /** The weight here of what weighs {@code units} at another rate. */
    final long converted(long units, Rate from) {
        return multiplyDivideUp(units, weight, from.weight);
    }

    /** {@code a * b / c} rounded up, and no more than {@link #TOO_MANY}, whatever the product. */
    static long multiplyDivideUp(long a, long b, long c) {
        if (Math.multiplyHigh(a, b) == 0 && a * b >= 0) {
            return Math.min(TOO_MANY, a * b / c + (a * b % c == 0 ? 0 : 1));
        }
        BigInteger divisor = BigInteger.valueOf(c);
        BigInteger[] exact =
                BigInteger.valueOf(a).multiply(BigInteger.valueOf(b)).divideAndRemainder(divisor);
        BigInteger up = exact[1].signum() == 0 ? exact[0] : exact[0].add(BigInteger.ONE);
        return up.min(BigInteger.valueOf(TOO_MANY)).longValueExact();
    }

    private static long greatestCommonFactor(long a, long b) {
        return b == 0 ? a : greatestCommonFactor(b, a % b);
    }
}
