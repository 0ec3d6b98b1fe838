package dev.sluice.bench.server;

import dev.sluice.bench.report.Measurements;

/** What a run of the server has measured, of rows and of parties. */
final class Figures extends Measurements {
    /** What is measured. */
    enum What {
        PER_SECOND,
        CPU_MICROS,
        MEDIAN_MICROS,
        P99_MICROS,
        START_MILLIS,
        IDLE_MEGABYTES
    }
}
