package dev.sluice.bench.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** All that one run has measured: what, and of which row. What was left out is absent. */
public class Measurements {
    private record Name(Enum<?> of, Enum<?> what) {}

    private final Map<Name, Samples> figures = new LinkedHashMap<>();

    public void add(Enum<?> of, Enum<?> what, double figure) {
        figures.merge(new Name(of, what), Samples.of(figure), Samples::with);
    }

    public Optional<Samples> samples(Enum<?> of, Enum<?> what) {
        return Optional.ofNullable(figures.get(new Name(of, what)));
    }

    public Optional<Double> median(Enum<?> of, Enum<?> what) {
        return samples(of, what).map(Samples::median);
    }

    /** A figure as a multiple of another. */
    public static Optional<Double> ratio(Optional<Double> figure, Optional<Double> other) {
        return figure.flatMap(it -> other.map(unit -> it / unit));
    }
}
