package dev.sluice.algorithm;

import org.jspecify.annotations.Nullable;

/** The bytes that states may take. A state asks before it grows; what it takes to begin with is reserved for it. */
public interface Memory {
    /** Refuses nothing and counts nothing: for states that are looked at and thrown away. */
    Memory UNBOUNDED = new Memory() {
        @Override
        public boolean tryReserve(long bytes) {
            return true;
        }

        @Override
        public void release(long bytes) {}

        @Override
        public long available() {
            return Long.MAX_VALUE;
        }
    };

    /** Reserves {@code bytes}, or refuses and reserves nothing. */
    boolean tryReserve(long bytes);

    /** Gives back {@code bytes} that were reserved. */
    void release(long bytes);

    /** How many bytes can be reserved now. */
    long available();

    /** An array of {@code length} in place of one of {@code from}; null if there is no memory for it. */
    default long @Nullable [] longer(int from, int length) {
        long more = HeapSize.longs(length) - HeapSize.longs(from);
        if (!tryReserve(more)) {
            return null;
        }
        boolean made = false;
        try {
            long[] longer = new long[length];
            made = true;
            return longer;
        } finally {
            if (!made) {
                release(more);
            }
        }
    }
}
