package dev.sluice.simulate.generate;

/** How much busier people are by day than by night. */
final class DayCurve {
    private static final long HOUR = 3_600_000_000L;
    private static final double SWING = 0.85;

    private final long startMicros;
    private final long endMicros;
    private final double mean;

    DayCurve(long startMicros, long durationMicros) {
        this.startMicros = startMicros;
        this.endMicros = startMicros + durationMicros;
        double sum = 0;
        for (int i = 0; i < 1000; i++) {
            sum += busy(startMicros + (long) (durationMicros * (i + 0.5) / 1000));
        }
        this.mean = sum / 1000;
    }

    long startMicros() {
        return startMicros;
    }

    long endMicros() {
        return endMicros;
    }

    /** From 0.15 at four in the morning to 1.85 at four in the afternoon, in UTC. */
    private static double busy(long micros) {
        double hours = Math.floorMod(micros, 24 * HOUR) / (double) HOUR;
        return 1 + SWING * StrictMath.sin((hours - 10) / 24 * 2 * StrictMath.PI);
    }

    /** The next event after {@code micros} of those that come every {@code meanMicros} on average over the whole time. */
    long next(long micros, double meanMicros, Dice dice) {
        double most = 1 + SWING;
        long at = micros;
        do {
            at += 1 + dice.exponential(meanMicros * mean / most);
        } while (at < endMicros && !dice.chance(busy(at) / most));
        return at;
    }
}
