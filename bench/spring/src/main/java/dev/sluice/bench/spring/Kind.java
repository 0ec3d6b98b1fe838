package dev.sluice.bench.spring;

import java.util.List;

/** What is measured of a row. */
enum Kind {
    REQUEST("a request", "A request, let through", Requests.class, "request"),
    CALL("a call", "A call, let through", Calls.class, "call"),
    REFUSAL("a refusal", "A request, refused", Refusals.class, "request");

    final String label;
    final String title;
    final Class<?> benchmarks;
    final String method;

    Kind(String label, String title, Class<?> benchmarks, String method) {
        this.label = label;
        this.title = title;
        this.benchmarks = benchmarks;
        this.method = method;
    }

    List<Row> rows() {
        return switch (this) {
            case REQUEST -> Row.REQUESTS;
            case CALL -> Row.CALLS;
            case REFUSAL -> Row.REFUSALS;
        };
    }
}
