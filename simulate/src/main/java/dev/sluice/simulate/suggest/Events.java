package dev.sluice.simulate.suggest;

import java.util.function.LongPredicate;

/** Requests of one client, in the order of their times. A buffer, which is used for one client after another. */
final class Events {
    private static final int INITIAL = 256;

    long[] times = new long[INITIAL];
    int[] marks = new int[INITIAL];
    int count;

    /** Forgets all, and makes room for so many. */
    void reset(int expected) {
        count = 0;
        if (times.length < expected) {
            times = new long[expected];
            marks = new int[expected];
        }
    }

    void add(long micros, int mark) {
        times[count] = micros;
        marks[count++] = mark;
    }

    /** Writes those of a scope at certain times to {@code selected}, in place of what was there. */
    void select(Scope scope, LongPredicate when, Events selected) {
        selected.reset(count);
        for (int i = 0; i < count; i++) {
            if (scope.contains(marks[i]) && when.test(times[i])) {
                selected.add(times[i], marks[i]);
            }
        }
    }
}
