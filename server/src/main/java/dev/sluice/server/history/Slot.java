package dev.sluice.server.history;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ObjIntConsumer;

/**
 * The counts of one second or minute, packed: what did not happen takes no memory.
 *
 * <pre>
 *   row after row:  how many row numbers it is after the one before   varint
 *                   which columns it has, one bit each                varint
 *                   the count of each                                 varint
 * </pre>
 *
 * <p>Why packed: of a thousand rules a few are used in any second, and 2,340 slots are kept. Servers send slots to each
 * other in the same form.
 */
final class Slot {
    static final Slot EMPTY = new Slot(new byte[0]);
    static final int MAX_COLUMNS = 32;
    /** A slot in Redis may come from anywhere. */
    private static final int MAX_ROW = 1 << 20;

    private final byte[] bytes;

    private Slot(byte[] bytes) {
        this.bytes = bytes;
    }

    static Slot of(Map<Integer, long[]> counts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int before = 0;
        for (Map.Entry<Integer, long[]> row : new TreeMap<>(counts).entrySet()) {
            long columns = 0;
            long[] values = row.getValue();
            for (int i = 0; i < values.length; i++) {
                columns |= values[i] > 0 ? 1L << i : 0;
            }
            if (columns != 0) {
                write(out, row.getKey() - before);
                write(out, columns);
                for (long value : values) {
                    if (value > 0) {
                        write(out, value);
                    }
                }
                before = row.getKey();
            }
        }
        return out.size() == 0 ? EMPTY : new Slot(out.toByteArray());
    }

    /**
     * Reads a slot that another server wrote.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Slot parse(byte[] bytes) {
        Slot slot = new Slot(bytes.clone());
        try {
            int before = -1;
            for (Reader reader = slot.reader(); reader.next(); reader.skip()) {
                if (reader.row <= before
                        || reader.row > MAX_ROW
                        || reader.columns == 0
                        || reader.columns >>> MAX_COLUMNS != 0) {
                    throw new IllegalArgumentException("not a slot: row " + reader.row + " after " + before);
                }
                before = reader.row;
            }
        } catch (ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("not a slot: it ends too early", e);
        }
        return slot;
    }

    byte[] bytes() {
        return bytes.clone();
    }

    int size() {
        return bytes.length;
    }

    /** The counts of a row; none if nothing was counted. */
    long[] row(int row) {
        Reader reader = reader();
        while (reader.next()) {
            if (reader.row == row) {
                return reader.values();
            }
            if (reader.row > row) {
                break;
            }
            reader.skip();
        }
        return new long[0];
    }

    /** Passes on the counts of each row, and its number. */
    void forEach(ObjIntConsumer<long[]> rows) {
        for (Reader reader = reader(); reader.next(); ) {
            int row = reader.row;
            rows.accept(reader.values(), row);
        }
    }

    Slot plus(Slot other) {
        if (bytes.length == 0 || other.bytes.length == 0) {
            return bytes.length == 0 ? other : this;
        }
        Map<Integer, long[]> sum = new TreeMap<>();
        forEach((counts, row) -> add(sum, row, counts));
        other.forEach((counts, row) -> add(sum, row, counts));
        return of(sum);
    }

    static void add(Map<Integer, long[]> sums, int row, long[] counts) {
        sums.merge(row, counts, Slot::sum);
    }

    static long[] sum(long[] one, long[] other) {
        long[] sum = Arrays.copyOf(one, Math.max(one.length, other.length));
        for (int i = 0; i < other.length; i++) {
            sum[i] = saturated(sum[i] + other[i]);
        }
        return sum;
    }

    private static long saturated(long sum) {
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    private Reader reader() {
        return new Reader();
    }

    private static void write(ByteArrayOutputStream out, long value) {
        long rest = value;
        while (rest >>> 7 != 0) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private final class Reader {
        private int at;
        private int row;
        private long columns;

        boolean next() {
            if (at == bytes.length) {
                return false;
            }
            row = (int) Math.min(Integer.MAX_VALUE, row + read());
            columns = read();
            return true;
        }

        long[] values() {
            long[] values = new long[Long.SIZE - Long.numberOfLeadingZeros(columns)];
            for (int i = 0; i < values.length; i++) {
                values[i] = (columns >>> i & 1) == 0 ? 0 : read();
            }
            return values;
        }

        void skip() {
            for (int i = Long.bitCount(columns); i > 0; i--) {
                read();
            }
        }

        private long read() {
            long value = 0;
            for (int shift = 0; shift < Long.SIZE - 1; shift += 7) {
                byte next = bytes[at++];
                value |= (long) (next & 0x7f) << shift;
                if (next >= 0) {
                    return value;
                }
            }
            throw new ArrayIndexOutOfBoundsException("a number of more than 9 bytes");
        }
    }
}
