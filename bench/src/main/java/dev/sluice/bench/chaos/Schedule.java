package dev.sluice.bench.chaos;

import java.time.Duration;

/**
 * How long each part of a scenario takes, and the limits in it.
 *
 * @param timeout how long Redis has for an answer
 * @param before how long all is well at first
 * @param fault how long a fault lasts that does not mend itself
 * @param after how long traffic goes on once Redis decides again
 * @param permits the limit on each key
 */
record Schedule(Duration timeout, Duration before, Duration fault, Duration after, int permits) {
    static final Schedule SHORT = of(Duration.ofSeconds(1), 10);
    static final Schedule LONG = of(Duration.ofSeconds(5), 50);

    /** With five times the usual timeout: a busy machine may need that long for nothing at all. */
    private static Schedule of(Duration each, int permits) {
        return new Schedule(Duration.ofMillis(250), each, each, each, permits);
    }

    Schedule withTimeout(Duration timeout) {
        return new Schedule(timeout, before, fault, after, permits);
    }

    /** No call may take longer. */
    Duration longestCall() {
        return timeout.multipliedBy(2);
    }
}
