package dev.sluice.simulate.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes strings of bytes. A value that came before is usually the same string, so that the few values that make up most of
 * a log are decoded once. It is for one thread, and its size is bounded; all files that a thread parses share it.
 */
final class StringCache {
    private static final int SIZE = 1 << 14;
    private static final int MAX_LENGTH = 512;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final ThreadLocal<StringCache> OF_THREAD = ThreadLocal.withInitial(StringCache::new);

    private final @Nullable Entry[] entries = new @Nullable Entry[SIZE];

    private static final class Entry {
        final byte[] bytes;
        final String text;

        Entry(byte[] bytes, String text) {
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
        if (length > MAX_LENGTH) {
            return new String(bytes, from, length, UTF_8);
        }
        int slot = hash(bytes, from, to) & SIZE - 1;
        Entry entry = entries[slot];
        if (entry != null && Arrays.equals(entry.bytes, 0, entry.bytes.length, bytes, from, to)) {
            return entry.text;
        }
        String text = new String(bytes, from, length, UTF_8);
        entries[slot] = new Entry(Arrays.copyOfRange(bytes, from, to), text);
        return text;
    }

    private static int hash(byte[] bytes, int from, int to) {
        long hash = (long) to - from;
        int at = from;
        for (; at + 8 <= to; at += 8) {
            hash = (hash ^ (long) LONGS.get(bytes, at)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
        }
        for (; at < to; at++) {
            hash = (hash ^ bytes[at]) * 0x100000001B3L;
        }
        hash *= 0x9E3779B97F4A7C15L;
        return (int) (hash >>> 40);
    }
}
