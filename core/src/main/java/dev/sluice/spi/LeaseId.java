package dev.sluice.spi;

import java.security.SecureRandom;

/**
 * The ids of holds under a lease. Who knows the id may end the hold, so it cannot be guessed.
 *
 * <p>An id is exact in a {@code double}, as Lua has it, and larger than every instant in microseconds until the year 2112:
 * the id of a hold never equals the time at which another was taken.
 */
public final class LeaseId {
    private static final int RANDOM_BITS = 52;
    private static final SecureRandom RANDOM = new SecureRandom();

    private LeaseId() {}

    /** An id that nobody had before. */
    public static long next() {
        return (1L << RANDOM_BITS) | (RANDOM.nextLong() >>> (Long.SIZE - RANDOM_BITS));
    }

    /** Whether a number can be an id. */
    public static boolean isValid(long id) {
        return (id >>> RANDOM_BITS) == 1;
    }
}
