package dev.sluice;

/**
 * How much memory of this process a store takes for its counters.
 *
 * @param keys the keys that have a counter of their own
 * @param bytes the bytes that limiters and counters take, as estimated
 * @param maxBytes the bound on {@code bytes}; 0 for a store that keeps nothing in this process
 * @param atBound how many decisions were made at the bound since the store was made: on a key that shared a counter,
 *     because there was no memory for one of its own
 */
public record StoreUsage(long keys, long bytes, long maxBytes, long atBound) {
    /** What a store uses that keeps nothing in this process. */
    public static final StoreUsage NONE = new StoreUsage(0, 0, 0, 0);
}
