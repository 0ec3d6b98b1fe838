package dev.sluice.bench.spring;

import dev.sluice.bench.report.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What Sluice promises of its starter, and whether this run bears it out. */
final class SpringTargets {
    private final Figures figures;
    private final List<Target> targets = new ArrayList<>();

    private SpringTargets(Figures figures) {
        this.figures = figures;
    }

    static List<Target> of(Figures figures) {
        SpringTargets targets = new SpringTargets(figures);
        targets.addsLess(Kind.REQUEST, Row.SLUICE_FILTER, Row.BUCKET4J_FILTER);
        targets.addsLess(Kind.REQUEST, Row.SLUICE_FILTER, Row.RESILIENCE4J_ANNOTATION);
        targets.addsLess(Kind.REQUEST, Row.SLUICE_ANNOTATION, Row.BUCKET4J_ANNOTATION);
        targets.addsLess(Kind.REQUEST, Row.SLUICE_ANNOTATION, Row.RESILIENCE4J_ANNOTATION);
        targets.addsLess(Kind.CALL, Row.SLUICE_ANNOTATION, Row.BUCKET4J_ANNOTATION);
        targets.addsLess(Kind.CALL, Row.SLUICE_ANNOTATION, Row.RESILIENCE4J_ANNOTATION);
        targets.add(
                "a refusal of %s: less than one of %s".formatted(Row.SLUICE_FILTER.label, Row.BUCKET4J_FILTER.label),
                figures.nanos(Kind.REFUSAL, Row.SLUICE_FILTER),
                figures.nanos(Kind.REFUSAL, Row.BUCKET4J_FILTER));
        return targets.targets;
    }

    private void addsLess(Kind kind, Row ours, Row theirs) {
        add(
                "%s adds less to %s than %s".formatted(ours.label, kind.label, theirs.label),
                figures.overhead(kind, ours),
                figures.overhead(kind, theirs));
    }

    private void add(String promise, Optional<Double> ours, Optional<Double> theirs) {
        Optional<String> measured =
                ours.flatMap(less -> theirs.map(more -> "%,.0f ns against %,.0f".formatted(less, more)));
        Optional<Boolean> kept = ours.flatMap(less -> theirs.map(more -> less < more));
        targets.add(Target.of(promise, measured, kept));
    }
}
