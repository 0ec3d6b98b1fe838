package dev.sluice.bench.spring;

import java.util.List;

/** One line of the tables: an application, and what is asked of it. */
public enum Row {
    NOTHING("no limiter", Party.NOBODY, "/plain", PlainApi.class),
    SLUICE_FILTER("sluice, filter", Party.SLUICE, Row.FILTERED, PlainApi.class),
    BUCKET4J_FILTER("bucket4j, filter", Party.BUCKET4J, Row.FILTERED, PlainApi.class),
    SLUICE_ANNOTATION("sluice, @RateLimit", Party.SLUICE, "/sluice", SluiceApi.class),
    BUCKET4J_ANNOTATION("bucket4j, @RateLimiting", Party.BUCKET4J, "/bucket4j", Bucket4jApi.class),
    RESILIENCE4J_ANNOTATION("resilience4j, @RateLimiter", Party.RESILIENCE4J, "/resilience4j", Resilience4jApi.class);

    static final String FILTERED = "/filtered";

    static final List<Row> REQUESTS = List.of(values());
    static final List<Row> CALLS = List.of(NOTHING, SLUICE_ANNOTATION, BUCKET4J_ANNOTATION, RESILIENCE4J_ANNOTATION);
    static final List<Row> REFUSALS = List.of(SLUICE_FILTER, BUCKET4J_FILTER);

    final String label;
    final Party party;
    final String path;
    final Class<? extends Api> api;

    Row(String label, Party party, String path, Class<? extends Api> api) {
        this.label = label;
        this.party = party;
        this.path = path;
        this.api = api;
    }
}
