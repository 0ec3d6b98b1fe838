package dev.sluice.simulate.suggest.traffic;

import java.util.Arrays;

/**
 * The requests of one client in the order of their times: when each came, and a mark that says what it was.
 *
 * <p>Each takes two to five bytes: the time since the one before, as a number of variable length, then the mark. Times of
 * whole seconds are counted in seconds, since most logs have no others.
 */
final class Timeline {
    private static final int INITIAL_BYTES = 24;
    private static final long SECOND = 1_000_000;
    private static final int MAX_VARINTS = 14;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int size;
    private int count;
    private long lastMicros;

    /**
     * Adds a request.
     *
     * @param micros its time, not before that of the one before
     * @return by how many bytes this grew in memory
     */
    int add(long micros, int mark) {
        int before = bytes.length;
        if (size + MAX_VARINTS > before) {
            bytes = Arrays.copyOf(bytes, before + Math.max(MAX_VARINTS, before / 2));
        }
        long delta = micros - lastMicros;
        put(delta % SECOND == 0 ? ((delta / SECOND) << 1) | 1 : delta << 1);
        put(mark);
        lastMicros = micros;
        count++;
        return bytes.length - before;
    }

    private void put(long number) {
        long rest = number;
        while (rest >= 0x80) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    int count() {
        return count;
    }

    /** Writes all requests to {@code events}, in place of what was there. */
    void read(Events events) {
        events.reset();
        long micros = 0;
        int at = 0;
        for (int i = 0; i < count; i++) {
            long number = 0;
            int shift = 0;
            byte next;
            do {
                next = bytes[at++];
                number |= (next & 0x7FL) << shift;
                shift += 7;
            } while (next < 0);
            micros += (number & 1) == 1 ? (number >>> 1) * SECOND : number >>> 1;
            int mark = 0;
            shift = 0;
            do {
                next = bytes[at++];
                mark |= (next & 0x7F) << shift;
                shift += 7;
            } while (next < 0);
            events.add(micros, mark);
        }
    }
}
