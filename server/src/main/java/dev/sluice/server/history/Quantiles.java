package dev.sluice.server.history;

import java.util.OptionalDouble;

/** Quantiles of times that were counted in buckets: within a bucket, times are taken to be spread evenly. */
public final class Quantiles {
    private final long[] upperMicros;
    private final long[] counts;

    /** Counts of the times up to each bound, and of those above the last one, which are taken to be that. */
    public Quantiles(long[] upperMicros, long[] counts) {
        this.upperMicros = upperMicros.clone();
        this.counts = counts.clone();
    }

    /** The time in milliseconds within which this part of all were; empty if there were none. */
    public OptionalDouble millis(double part) {
        long all = 0;
        for (long count : counts) {
            all += count;
        }
        if (all == 0) {
            return OptionalDouble.empty();
        }
        double rank = part * all;
        double below = 0;
        for (int i = 0; i < counts.length && i < upperMicros.length; i++) {
            if (counts[i] > 0 && below + counts[i] >= rank) {
                double lower = i == 0 ? 0 : upperMicros[i - 1];
                double micros = lower + (upperMicros[i] - lower) * Math.max(0, rank - below) / counts[i];
                return OptionalDouble.of(micros / 1000);
            }
            below += counts[i];
        }
        return OptionalDouble.of(upperMicros[upperMicros.length - 1] / 1000.0);
    }
}
