package dev.sluice.bench.redis;

import dev.sluice.bench.report.Measurements;
import java.util.Optional;

/** What a run on Redis has measured, of rows and of shortcuts. */
final class Figures extends Measurements {
    /** What is measured beside the decisions per second under a {@link Load}. */
    enum What {
        REDIS_MICROS,
        COMMANDS,
        BYTES_PER_KEY,
        PLAIN_BYTES_PER_KEY,
        BYTES_PER_PERMIT_OF_SMALL_LOG,
        BYTES_PER_PERMIT_OF_LARGE_LOG,
        PER_SECOND,
        LONGEST_MILLIS
    }

    /** How many times the decisions of the floor, at its best. */
    Optional<Double> timesFloor(Optional<Double> perSecond) {
        return ratio(perSecond, median(Row.FLOOR, Load.IN_FLIGHT));
    }
}
