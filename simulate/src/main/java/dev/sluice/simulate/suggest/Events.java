package dev.sluice.simulate.suggest;

import java.util.Arrays;

/** Requests of one client, in the order of their times. A buffer, which is used for one client after another. */
final class Events {
    private static final int INITIAL = 256;

    long[] times = new long[INITIAL];
    int[] marks = new int[INITIAL];
    int count;

    /** Forgets all. */
    void reset() {
        count = 0;
    }

    void add(long micros, int mark) {
        if (count == times.length) {
            times = Arrays.copyOf(times, count + count / 2);
            marks = Arrays.copyOf(marks, times.length);
        }
        times[count] = micros;
        marks[count++] = mark;
    }
}
