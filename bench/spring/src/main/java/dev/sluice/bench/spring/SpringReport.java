package dev.sluice.bench.spring;

import static dev.sluice.bench.spring.StarterRow.BUCKET4J_ANNOTATION;
import static dev.sluice.bench.spring.StarterRow.BUCKET4J_FILTER;
import static dev.sluice.bench.spring.StarterRow.RESILIENCE4J_ANNOTATION;
import static dev.sluice.bench.spring.StarterRow.SLUICE_ANNOTATION;
import static dev.sluice.bench.spring.StarterRow.SLUICE_FILTER;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Jmh.Figure;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Samples;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.report.Target;
import dev.sluice.bench.spring.SpringBench.Cell;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The tables and targets of the starter. */
final class SpringReport {
    private final Measurements figures;

    private SpringReport(Measurements figures) {
        this.figures = figures;
    }

    static Report of(Measurements figures, Effort effort) {
        SpringReport report = new SpringReport(figures);
        Jmh.Timing timing = SpringBench.timing(effort);
        return new Report(
                "Benchmarks of the Spring Boot starter",
                "What a limiter adds to a request and to a call, beside Bucket4j's starter and Resilience4j's annotation in one run.",
                """
                Method: JMH, average time, one thread. %d rounds, each a new JVM for every row, %d x %d ms after %d x %d ms of warm-up, every other round backwards; figures are the median and the range of all.
                The application: Spring Boot on servlets, one controller that returns a word. Each row has the auto-configuration of one limiter; "no limiter" has none.
                A request goes through all filters of the application and the DispatcherServlet, from one address and without a network: Spring's mocks replace the server. A filter has one rule, for this path and by the address of the client. Both filters send the client the remaining permits.
                The annotation is on the controller's method, without a key. A call goes to the same method, on the bean. Resilience4j has no filter.
                Counting is in memory: token buckets in Sluice and Bucket4j (JCache by Caffeine), cycles in Resilience4j. Every call is let through; requests are refused by a limit of one.
                """.formatted(
                        SpringBench.rounds(effort),
                        timing.iterations(),
                        timing.iterationMillis(),
                        timing.warmups(),
                        timing.warmupMillis()).lines().toList(),
                Arrays.stream(Kind.values()).map(report::table).toList(),
                List.of(
                        report.addsLess(Kind.REQUEST, SLUICE_FILTER, BUCKET4J_FILTER),
                        report.addsLess(Kind.REQUEST, SLUICE_FILTER, RESILIENCE4J_ANNOTATION),
                        report.addsLess(Kind.REQUEST, SLUICE_ANNOTATION, BUCKET4J_ANNOTATION),
                        report.addsLess(Kind.REQUEST, SLUICE_ANNOTATION, RESILIENCE4J_ANNOTATION),
                        report.addsLess(Kind.CALL, SLUICE_ANNOTATION, BUCKET4J_ANNOTATION),
                        report.addsLess(Kind.CALL, SLUICE_ANNOTATION, RESILIENCE4J_ANNOTATION),
                        Target.lessThan(
                                "a refusal of %s: less than one of %s"
                                        .formatted(SLUICE_FILTER.label, BUCKET4J_FILTER.label),
                                "%,.0f ns against %,.0f",
                                report.nanos(Kind.REFUSAL, SLUICE_FILTER),
                                report.nanos(Kind.REFUSAL, BUCKET4J_FILTER))));
    }

    private Table table(Kind kind) {
        return Table.<StarterRow>of(kind.title, "limiter", row -> row.label)
                .samples("ns", "%,.0f", row -> figures.samples(new Cell(kind, row), Figure.NANOS))
                .number("over none", "%,.0f", row -> overhead(kind, row))
                .number(
                        "bytes",
                        "%,.0f",
                        row -> figures.samples(new Cell(kind, row), Figure.BYTES)
                                .map(Samples::max))
                .rows(kind.rows);
    }

    private Optional<Double> nanos(Kind kind, StarterRow row) {
        return figures.median(new Cell(kind, row), Figure.NANOS);
    }

    /** What a limiter adds to an application without one. */
    private Optional<Double> overhead(Kind kind, StarterRow row) {
        return nanos(kind, row).flatMap(with -> nanos(kind, StarterRow.NOTHING).map(without -> with - without));
    }

    private Target addsLess(Kind kind, StarterRow ours, StarterRow theirs) {
        return Target.lessThan(
                "%s adds less to a %s than %s".formatted(ours.label, kind.method, theirs.label),
                "%,.0f ns against %,.0f",
                overhead(kind, ours),
                overhead(kind, theirs));
    }
}
