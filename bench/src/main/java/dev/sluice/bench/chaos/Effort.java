package dev.sluice.bench.chaos;

import java.time.Duration;

/**
 * How long and how hard.
 *
 * @param timeout how long Redis has for an answer
 * @param before how long all is well at first
 * @param fault how long a fault lasts that lasts as long as it is told to
 * @param after how long traffic goes on once Redis decides again
 * @param permits the limit on each key
 */
record Effort(Duration timeout, Duration before, Duration fault, Duration after, int permits) {
    /** Five times the usual one: a machine that is busy with other things may need that long for nothing at all. */
    private static final Duration TIMEOUT = Duration.ofMillis(250);

    /** Fits into the tests. */
    static final Effort SHORT =
            new Effort(TIMEOUT, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(1), 10);

    static final Effort LONG =
            new Effort(TIMEOUT, Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(5), 50);

    Effort withTimeout(Duration timeout) {
        return new Effort(timeout, before, fault, after, permits);
    }

    /** No call may take longer. */
    Duration longestCall() {
        return timeout.multipliedBy(2);
    }
}
