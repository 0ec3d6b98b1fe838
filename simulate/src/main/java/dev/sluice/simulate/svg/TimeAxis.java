package dev.sluice.simulate.svg;

import java.util.List;

/** The places and labels of the ticks on a time axis, and times as labels. */
public final class TimeAxis {
    private static final long SECOND = 1_000_000;
    private static final long[] STEP_SECONDS = {
        1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000
    };

    /** From the longest to the shortest. */
    public enum Unit {
        DAYS("d", 86_400 * SECOND),
        HOURS("h", 3600 * SECOND),
        MINUTES("m", 60 * SECOND),
        SECONDS("s", SECOND),
        MILLIS("ms", 1000),
        MICROS("us", 1);

        private final String suffix;
        private final long micros;

        Unit(String suffix, long micros) {
            this.suffix = suffix;
            this.micros = micros;
        }

        /** How many microseconds it has. */
        public long micros() {
            return micros;
        }

        /** The longest unit of which a time is a multiple. */
        public static Unit of(long micros) {
            for (Unit unit : values()) {
                if (micros % unit.micros == 0) {
                    return unit;
                }
            }
            throw new AssertionError("every time is a multiple of one microsecond");
        }
    }

    private TimeAxis() {}

    /** The smallest step between ticks that gives at most {@code max} steps. */
    public static long step(long durationMicros, long max) {
        for (long power = 1; power < SECOND; power *= 10) {
            for (long step : new long[] {power, 2 * power, 5 * power}) {
                if (durationMicros / step <= Math.max(1, max)) {
                    return step;
                }
            }
        }
        for (long seconds : STEP_SECONDS) {
            if (durationMicros / (seconds * SECOND) <= Math.max(1, max)) {
                return seconds * SECOND;
            }
        }
        return durationMicros;
    }

    /** A label in the unit of the step, so that all labels of an axis have the same unit. */
    public static String label(long atMicros, long stepMicros) {
        Unit unit = Unit.of(stepMicros);
        return atMicros / unit.micros + unit.suffix;
    }

    /** A time to a tenth, rounded up, of the longest unit, up to hours, that it fills. */
    public static String rounded(long micros) {
        for (Unit unit : List.of(Unit.HOURS, Unit.MINUTES, Unit.SECONDS, Unit.MILLIS)) {
            if (micros >= unit.micros) {
                return Svg.tenths(-Math.floorDiv(-micros, unit.micros / 10)) + unit.suffix;
            }
        }
        return micros + Unit.MICROS.suffix;
    }
}
