package dev.sluice.hotkeys;

import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Keys as they are kept: a short key is itself, a long one becomes its beginning and a hash of 128 bits.
 *
 * <p>The hash is keyed by random numbers, so that nobody outside can choose keys that share one. It is not a
 * cryptographic hash.
 */
final class BoundedKey {
    /** Keys of up to this length are kept as they are. */
    static final int MAX_LENGTH = 64;

    /** The heap that one kept key takes at most: the String, its array, and two bytes for each character. */
    static final int MAX_BYTES = 24 + 16 + 2 * MAX_LENGTH;

    private static final int KEPT_PREFIX = MAX_LENGTH - 33;
    private static final long PRIME_1 = 0x9E3779B97F4A7C15L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;

    private final long seed1 = ThreadLocalRandom.current().nextLong();
    private final long seed2 = ThreadLocalRandom.current().nextLong();

    /** The key as it is kept. */
    String of(String key) {
        return Objects.requireNonNull(key, "key").length() <= MAX_LENGTH ? key : shorten(key);
    }

    /** A keyed hash of the characters: unlike {@link String#hashCode}, it cannot be made to collide. */
    int hash(String key) {
        return (int) (hash(key, seed1) >>> 32);
    }

    private String shorten(String key) {
        String hex = "0".repeat(16);
        String high = Long.toHexString(hash(key, seed1));
        String low = Long.toHexString(hash(key, seed2));
        return key.substring(0, KEPT_PREFIX)
                + '~'
                + hex.substring(high.length())
                + high
                + hex.substring(low.length())
                + low;
    }

    private static long hash(String key, long seed) {
        long hash = seed ^ key.length() * PRIME_1;
        int length = key.length();
        int i = 0;
        for (; i + 4 <= length; i += 4) {
            long four = key.charAt(i)
                    | (long) key.charAt(i + 1) << 16
                    | (long) key.charAt(i + 2) << 32
                    | (long) key.charAt(i + 3) << 48;
            hash = mix(hash ^ four, seed);
        }
        for (; i < length; i++) {
            hash = mix(hash ^ key.charAt(i), seed);
        }
        return mix(hash, seed);
    }

    /** A secret keeps the product from being steered to zero. */
    private static long mix(long hash, long seed) {
        long factor = seed * PRIME_2 | 1;
        return hash * factor ^ Math.multiplyHigh(hash, factor) ^ Long.rotateLeft(hash, 29);
    }
}
