package dev.sluice.bench.redis;

import dev.sluice.bench.report.Options;

/**
 * How long a run takes.
 *
 * @param rounds how often each figure is taken
 * @param warmupMillis how long each is warmed up before the first round
 * @param millis how long each is measured in a round
 * @param keys how many keys there are where there are many
 * @param smallLog permits of the small log whose memory is measured
 * @param largeLog permits of the large one
 */
record Effort(int rounds, long warmupMillis, long millis, int keys, int smallLog, int largeLog) {
    static final Effort SMOKE = new Effort(1, 1, 5, 200, 5, 50);
    static final Effort SHORT = new Effort(3, 500, 700, 100_000, 100, 10_000);
    static final Effort FULL = new Effort(7, 1000, 1800, 100_000, 100, 10_000);

    static Effort of(Options options) {
        return options.full() ? FULL : SHORT;
    }
}
