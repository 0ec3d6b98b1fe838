package dev.sluice.bench.server;

import dev.sluice.bench.report.Options;

/**
 * How long a run takes.
 *
 * @param rounds how often each figure is taken
 * @param starts how often each server is started
 * @param warmUpSeconds how long each row that a JVM serves may take to become warm
 * @param seconds how long each row is under load in a round
 * @param rules how many rules there are where there are many
 * @param keys how many keys there are where there are many
 */
record Effort(int rounds, int starts, int warmUpSeconds, int seconds, int rules, int keys) {
    static final Effort SMOKE = new Effort(1, 1, 0, 1, 100, 2_000);
    static final Effort SHORT = new Effort(3, 1, 20, 1, 10_000, 1_000_000);
    static final Effort FULL = new Effort(9, 5, 90, 4, 10_000, 1_000_000);

    static Effort of(Options options) {
        return options.full() ? FULL : SHORT;
    }
}
