package dev.sluice.simulate.log.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes strings of bytes. A value that came before is usually the same string, so that the values that make up most of a
 * log are decoded once, and their hash is known. It is for one thread, and its size is bounded; all files that a thread
 * parses share it.
 *
 * <p>Most time goes into fetching from memory what was seen long ago. So the bytes of short values, which are nearly all,
 * stand in one array, each in a slot of a cache line's half that begins with the length:
 *
 * <pre>
 *   | 12 203.0.113.99 ............ | 6 /login ................... | ...
 * </pre>
 */
final class StringCache {
    private static final int SLOTS = 1 << 16;
    private static final int SLOT_BYTES = 32;
    private static final int LONG_SLOTS = 1 << 12;
    private static final int MAX_LENGTH = 512;

    private static final ThreadLocal<StringCache> OF_THREAD = ThreadLocal.withInitial(StringCache::new);

    private final byte[] slots = new byte[SLOTS * SLOT_BYTES];
    private final @Nullable String[] texts = new @Nullable String[SLOTS];
    private final @Nullable LongValue[] longValues = new @Nullable LongValue[LONG_SLOTS];

    private static final class LongValue {
        final byte[] bytes;
        final String text;

        LongValue(byte[] bytes, String text) {
            this.bytes = bytes;
            this.text = text;
        }
    }

    private StringCache() {}

    /** The cache of the thread that calls. */
    static StringCache ofThisThread() {
        return OF_THREAD.get();
    }

    /** The text of some bytes in UTF-8; what is not UTF-8 becomes U+FFFD. */
    String get(byte[] bytes, int from, int to) {
        int length = to - from;
        if (length >= SLOT_BYTES) {
            return length > MAX_LENGTH ? new String(bytes, from, length, UTF_8) : longValue(bytes, from, to);
        }
        int slot = hash(bytes, from, to) & SLOTS - 1;
        int at = slot * SLOT_BYTES;
        String text = texts[slot];
        if (text != null && slots[at] == length && Arrays.equals(slots, at + 1, at + 1 + length, bytes, from, to)) {
            return text;
        }
        text = new String(bytes, from, length, UTF_8);
        slots[at] = (byte) length;
        System.arraycopy(bytes, from, slots, at + 1, length);
        texts[slot] = text;
        return text;
    }

    private String longValue(byte[] bytes, int from, int to) {
        int slot = hash(bytes, from, to) & LONG_SLOTS - 1;
        LongValue value = longValues[slot];
        if (value == null || !Arrays.equals(value.bytes, 0, value.bytes.length, bytes, from, to)) {
            value = new LongValue(Arrays.copyOfRange(bytes, from, to), new String(bytes, from, to - from, UTF_8));
            longValues[slot] = value;
        }
        return value.text;
    }

    private static int hash(byte[] bytes, int from, int to) {
        long hash = (long) to - from;
        int at = from;
        for (; at + 8 <= to; at += 8) {
            hash = (hash ^ ByteSearch.word(bytes, at)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
        }
        for (; at < to; at++) {
            hash = (hash ^ bytes[at]) * 0x100000001B3L;
        }
        hash *= 0x9E3779B97F4A7C15L;
        return (int) (hash >>> 40);
    }
}
