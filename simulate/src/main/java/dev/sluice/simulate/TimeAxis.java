package dev.sluice.simulate;

/** The places and labels of the ticks on a time axis, and times as labels. */
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

    /** The smallest step between ticks that gives at most {@code max} steps. */
    static long step(long durationMicros, long max) {
        for (long step : STEPS) {
            if (durationMicros / step <= Math.max(1, max)) {
                return step;
            }
        }
        return durationMicros;
    }

    /** A label in the unit of the step, so that all labels of an axis have the same unit. */
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

    /** A time to a tenth, rounded up, of the largest unit that it fills. */
    static String rounded(long micros) {
        if (micros >= 3_600_000_000L) {
            return tenths(micros, 360_000_000) + "h";
        } else if (micros >= 60_000_000) {
            return tenths(micros, 6_000_000) + "m";
        } else if (micros >= 1_000_000) {
            return tenths(micros, 100_000) + "s";
        }
        return micros >= 1000 ? tenths(micros, 100) + "ms" : micros + "us";
    }

    private static String tenths(long micros, long tenthMicros) {
        return Svg.tenths(-Math.floorDiv(-micros, tenthMicros));
    }
}
