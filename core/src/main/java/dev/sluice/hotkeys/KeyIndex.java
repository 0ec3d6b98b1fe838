package dev.sluice.hotkeys;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds the entry of a key: a hash table with open addressing, at most half full, that holds hashes and numbers of
 * entries.
 *
 * <p>It starts with {@link String#hashCode}, which the String keeps. Whoever sends keys with one hash code makes the
 * probes long; from then on the table uses a keyed hash of the characters instead, for good.
 */
final class KeyIndex {
    /** Even in a table that is half full, not one of 10^13 probes is that long by chance. */
    private static final int MAX_PROBE = 128;

    private final BoundedKey boundedKey;
    private final int secret = ThreadLocalRandom.current().nextInt();
    private final String[] keys;
    private final int[] hashes;
    /** The hash in the upper half, the entry plus one in the lower; 0 is free. */
    private final long[] slots;

    private boolean keyed;

    /** @param keys the key of each entry, kept by the caller */
    KeyIndex(String[] keys, BoundedKey boundedKey) {
        this.keys = keys;
        this.boundedKey = boundedKey;
        this.hashes = new int[keys.length];
        this.slots = new long[slots(keys.length)];
    }

    static int slots(int entries) {
        return Integer.highestOneBit(2 * entries - 1) << 1;
    }

    /** The entry of the key with this hash, or -1. */
    int find(String key, int hash) {
        int mask = slots.length - 1;
        for (int i = hash & mask; ; i = (i + 1) & mask) {
            long slot = slots[i];
            if (slot == 0) {
                return -1;
            }
            if ((int) (slot >>> 32) == hash) {
                int entry = (int) slot - 1;
                if (key.equals(keys[entry])) {
                    return entry;
                }
            }
        }
    }

    /** Adds an entry whose key is not there and has this hash. */
    void add(int entry, int hash) {
        hashes[entry] = hash;
        if (place(entry) > MAX_PROBE && !keyed) {
            useKeyedHash();
        }
    }

    private void useKeyedHash() {
        keyed = true;
        long[] old = slots.clone();
        Arrays.fill(slots, 0);
        for (long slot : old) {
            if (slot != 0) {
                int entry = (int) slot - 1;
                hashes[entry] = hash(keys[entry]);
                place(entry);
            }
        }
    }

    /** Forgets all entries except the ones that are {@code kept}. */
    void retain(boolean[] kept) {
        Arrays.fill(slots, 0);
        for (int entry = 0; entry < kept.length; entry++) {
            if (kept[entry]) {
                place(entry);
            }
        }
    }

    boolean isKeyed() {
        return keyed;
    }

    private int place(int entry) {
        int mask = slots.length - 1;
        int hash = hashes[entry];
        int i = hash & mask;
        int probe = 1;
        while (slots[i] != 0) {
            i = (i + 1) & mask;
            probe++;
        }
        slots[i] = (long) hash << 32 | (entry + 1);
        return probe;
    }

    /** The hash to find a key by. */
    int hash(String key) {
        return keyed ? mix(boundedKey.hash(key)) : stableHash(key);
    }

    /** A hash that stays the same for good, and that many chosen keys may share. */
    int stableHash(String key) {
        return mix(key.hashCode());
    }

    private int mix(int hash) {
        int mixed = hash ^ secret;
        mixed = (mixed ^ mixed >>> 16) * 0x85EBCA6B;
        mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
        return mixed ^ mixed >>> 16;
    }
}
