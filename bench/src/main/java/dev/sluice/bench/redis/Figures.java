package dev.sluice.bench.redis;

import dev.sluice.bench.Samples;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** All that one run has measured. What was left out is absent. */
final class Figures {
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

    private record Name(Enum<?> of, Enum<?> what) {}

    private final Map<Name, Samples> figures = new LinkedHashMap<>();

    /** Adds a figure of a row or a shortcut. */
    void add(Enum<?> of, Enum<?> what, double figure) {
        figures.merge(new Name(of, what), Samples.of(figure), Samples::with);
    }

    Optional<Samples> samples(Enum<?> of, Enum<?> what) {
        return Optional.ofNullable(figures.get(new Name(of, what)));
    }

    Optional<Double> median(Enum<?> of, Enum<?> what) {
        return samples(of, what).map(Samples::median);
    }

    /** A figure as a multiple of another. */
    static Optional<Double> ratio(Optional<Double> figure, Optional<Double> other) {
        return figure.flatMap(it -> other.map(unit -> it / unit));
    }

    /** How many times the decisions of the floor, at its best. */
    Optional<Double> timesFloor(Optional<Double> perSecond) {
        return ratio(perSecond, median(Row.FLOOR, Load.IN_FLIGHT));
    }
}
