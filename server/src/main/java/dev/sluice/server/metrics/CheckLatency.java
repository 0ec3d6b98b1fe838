package dev.sluice.server.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** A histogram of how long checks take. Recording one costs two additions and allocates nothing. */
public final class CheckLatency {
    private static final long[] UPPER_MICROS = {
        10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000
    };

    private final LongAdder[] counts = new LongAdder[UPPER_MICROS.length + 1];
    private final LongAdder sumNanos = new LongAdder();

    CheckLatency() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void record(long nanos) {
        int bucket = 0;
        while (bucket < UPPER_MICROS.length && nanos > UPPER_MICROS[bucket] * 1_000) {
            bucket++;
        }
        counts[bucket].increment();
        sumNanos.add(nanos);
    }

    /** The bounds of the buckets but the last, which has none. */
    public static long[] upperMicros() {
        return UPPER_MICROS.clone();
    }

    /** How many were recorded in each bucket. */
    long[] totals() {
        return Arrays.stream(counts).mapToLong(LongAdder::sum).toArray();
    }

    HistogramSnapshot snapshot() {
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        for (int i = 0; i < counts.length; i++) {
            double upper = i < UPPER_MICROS.length ? UPPER_MICROS[i] / 1e6 : Double.POSITIVE_INFINITY;
            buckets.bucket(upper, counts[i].sum());
        }
        return HistogramSnapshot.builder()
                .name("sluice_check_seconds")
                .help("Time from the arrival of a check to its verdict.")
                .dataPoint(HistogramDataPointSnapshot.builder()
                        .classicHistogramBuckets(buckets.build())
                        .sum(sumNanos.sum() / (double) TimeUnit.SECONDS.toNanos(1))
                        .build())
                .build();
    }
}
