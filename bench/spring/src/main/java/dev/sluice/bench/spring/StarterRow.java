package dev.sluice.bench.spring;

/** A row of the tables: an application, and what is called in it. */
public enum StarterRow {
    NOTHING("no limiter", Starter.NONE, "/plain", Api.Plain.class),
    SLUICE_FILTER("sluice, filter", Starter.SLUICE, StarterRow.FILTERED, Api.Plain.class),
    BUCKET4J_FILTER("bucket4j, filter", Starter.BUCKET4J, StarterRow.FILTERED, Api.Plain.class),
    SLUICE_ANNOTATION("sluice, @RateLimit", Starter.SLUICE, "/sluice", Api.Sluice.class),
    BUCKET4J_ANNOTATION("bucket4j, @RateLimiting", Starter.BUCKET4J, "/bucket4j", Api.Bucket4j.class),
    RESILIENCE4J_ANNOTATION(
            "resilience4j, @RateLimiter", Starter.RESILIENCE4J, "/resilience4j", Api.Resilience4j.class);

    static final String FILTERED = "/filtered";

    final String label;
    final Starter starter;
    final String path;
    final Class<? extends Api> api;

    StarterRow(String label, Starter starter, String path, Class<? extends Api> api) {
        this.label = label;
        this.starter = starter;
        this.path = path;
        this.api = api;
    }
}
