package dev.sluice.bench.spring;

import static dev.sluice.bench.spring.StarterRow.BUCKET4J_ANNOTATION;
import static dev.sluice.bench.spring.StarterRow.BUCKET4J_FILTER;
import static dev.sluice.bench.spring.StarterRow.NOTHING;
import static dev.sluice.bench.spring.StarterRow.RESILIENCE4J_ANNOTATION;
import static dev.sluice.bench.spring.StarterRow.SLUICE_ANNOTATION;
import static dev.sluice.bench.spring.StarterRow.SLUICE_FILTER;

import java.util.List;

/** What is measured of a row. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are
public enum Kind {
    REQUEST("request", "A request, let through", List.of(StarterRow.values())),
    CALL(
            "call",
            "A call, let through",
            List.of(NOTHING, SLUICE_ANNOTATION, BUCKET4J_ANNOTATION, RESILIENCE4J_ANNOTATION)),
    REFUSAL("refusal", "A request, refused", List.of(SLUICE_FILTER, BUCKET4J_FILTER));

    /** The method that measures it. */
    final String method;

    final String title;
    final List<StarterRow> rows;

    Kind(String method, String title, List<StarterRow> rows) {
        this.method = method;
        this.title = title;
        this.rows = rows;
    }
}
