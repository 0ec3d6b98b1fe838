package dev.sluice.simulate.log.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds bytes, eight at a time.
 *
 * <p>A word minus one in each byte borrows from the high bit of a byte that is zero, and of those after it. So the lowest
 * of these bits stands in the first byte that is zero, which is the one that equals what is searched.
 */
public final class ByteSearch {
    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long LOWS = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;

    private ByteSearch() {}

    /** Eight bytes, the first in the lowest bits. */
    static long word(byte[] bytes, int at) {
        return (long) WORDS.get(bytes, at);
    }

    /** The place of the first {@code wanted}; {@code to} if there is none. */
    public static int indexOf(byte wanted, byte[] bytes, int from, int to) {
        long each = LOWS * (wanted & 0xFF);
        int at = from;
        for (; at + 8 <= to; at += 8) {
            long found = zeros(word(bytes, at) ^ each);
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (at < to && bytes[at] != wanted) {
            at++;
        }
        return at;
    }

    /** The place of the first of two; {@code to} if there is none. */
    static int indexOfEither(byte one, byte other, byte[] bytes, int from, int to) {
        long eachOne = LOWS * (one & 0xFF);
        long eachOther = LOWS * (other & 0xFF);
        int at = from;
        for (; at + 8 <= to; at += 8) {
            long word = word(bytes, at);
            long found = zeros(word ^ eachOne) | zeros(word ^ eachOther);
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (at < to && bytes[at] != one && bytes[at] != other) {
            at++;
        }
        return at;
    }

    private static long zeros(long word) {
        return word - LOWS & ~word & HIGHS;
    }
}
