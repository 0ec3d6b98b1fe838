package dev.sluice.bench.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The figures of one run, by row and by what was measured of it. A figure that was not measured is absent. */
public final class Measurements {
    private record Name(Object row, Object figure) {}

    private final Map<Name, Samples> samples = new LinkedHashMap<>();

    public void add(Object row, Object figure, double... values) {
        samples.merge(new Name(row, figure), Samples.of(values), Samples::with);
    }

    public Optional<Samples> samples(Object row, Object figure) {
        return Optional.ofNullable(samples.get(new Name(row, figure)));
    }

    public Optional<Double> median(Object row, Object figure) {
        return samples(row, figure).map(Samples::median);
    }

    /** The median of a row as a multiple of that of another row. */
    public Optional<Double> ratio(Object row, Object other, Object figure) {
        return ratio(median(row, figure), median(other, figure));
    }

    /** A figure as a multiple of another. */
    public static Optional<Double> ratio(Optional<Double> figure, Optional<Double> unit) {
        return figure.flatMap(value -> unit.map(one -> value / one));
    }
}
