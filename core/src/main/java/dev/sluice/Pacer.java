package dev.sluice;

import java.time.Duration;

/** Spreads work over time by making callers wait. */
public interface Pacer {
    static Pacer perSecond(long permits) {
        throw new IllegalStateException();
    }

    Duration acquire(long permits);
}
