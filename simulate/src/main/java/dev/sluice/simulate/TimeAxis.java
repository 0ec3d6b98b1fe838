package dev.sluice.simulate;

/** Where the ticks of a time axis stand, and what they say. */
final class TimeAxis {
    private static final long[] STEPS = {
        1,
        2,
        5,
        10,
        20,
        50,
        100,
        200,
        500,
        1_000,
        2_000,
        5_000,
        10_000,
        20_000,
        50_000,
        100_000,
        200_000,
        500_000,
        1_000_000,
        2_000_000,
        5_000_000,
        10_000_000,
        20_000_000,
        30_000_000,
        60_000_000,
        120_000_000,
        300_000_000,
        600_000_000,
        1_200_000_000,
        1_800_000_000,
        3_600_000_000L,
        7_200_000_000L,
        10_800_000_000L,
        21_600_000_000L,
        43_200_000_000L,
        86_400_000_000L,
        172_800_000_000L,
        432_000_000_000L,
    };

    private TimeAxis() {}

    /** The smallest step that gives at most {@code most} steps. */
    static long step(long durationMicros, long most) {
        for (long step : STEPS) {
            if (durationMicros / step <= Math.max(1, most)) {
                return step;
            }
        }
        return durationMicros;
    }

    /** An instant in the unit of the step, so that all labels of an axis have the same. */
    static String label(long atMicros, long stepMicros) {
        if (stepMicros % 86_400_000_000L == 0) {
            return atMicros / 86_400_000_000L + "d";
        } else if (stepMicros % 3_600_000_000L == 0) {
            return atMicros / 3_600_000_000L + "h";
        } else if (stepMicros % 60_000_000 == 0) {
            return atMicros / 60_000_000 + "m";
        } else if (stepMicros % 1_000_000 == 0) {
            return atMicros / 1_000_000 + "s";
        }
        return stepMicros % 1000 == 0 ? atMicros / 1000 + "ms" : atMicros + "us";
    }
}
