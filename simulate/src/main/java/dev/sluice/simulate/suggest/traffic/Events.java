package dev.sluice.simulate.suggest.traffic;

import java.util.Arrays;

/** Requests of one client, in the order of their times. A buffer, which is used for one client after another. */
public final class Events {
    private static final int INITIAL = 256;

    private long[] times = new long[INITIAL];
    private int[] marks = new int[INITIAL];
    private int count;

    /** How many requests there are. */
    public int count() {
        return count;
    }

    /** When a request came, in microseconds since 1970. */
    public long time(int request) {
        return times[request];
    }

    /** The mark of a request, as {@link Endpoints} makes it. */
    public int mark(int request) {
        return marks[request];
    }

    /** Forgets all. */
    public void reset() {
        count = 0;
    }

    /** Adds a request, which came after all others. */
    public void add(long micros, int mark) {
        if (count == times.length) {
            times = Arrays.copyOf(times, count + count / 2);
            marks = Arrays.copyOf(marks, times.length);
        }
        times[count] = micros;
        marks[count++] = mark;
    }
}
