package dev.sluice.bench.spring;

import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Samples;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** All that one run has measured. What was left out is absent. */
final class Figures {
    private final Map<Kind, Map<Row, Jmh.Cost>> costs = new EnumMap<>(Kind.class);

    void add(Kind kind, Row row, Jmh.Cost cost) {
        costs.computeIfAbsent(kind, any -> new EnumMap<>(Row.class)).merge(row, cost, Jmh.Cost::with);
    }

    Optional<Jmh.Cost> cost(Kind kind, Row row) {
        return Optional.ofNullable(costs.get(kind)).map(rows -> rows.get(row));
    }

    Optional<Double> nanos(Kind kind, Row row) {
        return cost(kind, row).map(Jmh.Cost::nanos).map(Samples::median);
    }

    /** What a limiter adds to an application without one. */
    Optional<Double> overhead(Kind kind, Row row) {
        return nanos(kind, row).flatMap(with -> nanos(kind, Row.NOTHING).map(without -> with - without));
    }
}
