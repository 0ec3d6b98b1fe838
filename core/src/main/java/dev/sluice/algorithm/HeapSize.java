package dev.sluice.algorithm;

/**
 * The bytes that objects take on the heap, by HotSpot's layout: a header of 12 bytes, fields, rounded up to 8.
 *
 * <p>References take 4 bytes on heaps below 32 GB and 8 above. A JVM that was told otherwise takes a little more or less
 * than is said here.
 */
public final class HeapSize {
    private static final int HEADER = 12;
    private static final int ARRAY_HEADER = 16;
    private static final int REFERENCE = Runtime.getRuntime().maxMemory() < 32L << 30 ? 4 : 8;

    private HeapSize() {}

    /** An object with so many references, and fields of other types that take {@code bytes}. */
    public static long object(int references, int bytes) {
        return aligned(HEADER + (long) references * REFERENCE + bytes);
    }

    /** An array of references. */
    public static long references(int length) {
        return aligned(ARRAY_HEADER + (long) length * REFERENCE);
    }

    /** An array of longs. */
    public static long longs(int length) {
        return ARRAY_HEADER + 8L * length;
    }

    /** A string and its characters: a byte each if all are Latin-1, else two. */
    public static long string(String string) {
        int length = string.length();
        for (int i = 0; i < length; i++) {
            if (string.charAt(i) > 0xFF) {
                return object(1, 6) + aligned(ARRAY_HEADER + 2L * length);
            }
        }
        return object(1, 6) + aligned(ARRAY_HEADER + (long) length);
    }

    private static long aligned(long bytes) {
        return (bytes + 7) & ~7;
    }
}
