package dev.sluice.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Why a request is refused, as {@code application/problem+json} (RFC 9457). */
final class HttpProblem {
    private static final int LONGEST_VALUE = 80;

    private final int status;
    private final JsonObject body;

    private HttpProblem(int status, JsonObject body) {
        this.status = status;
        this.body = body;
    }

    static HttpProblem of(int status, String type, String detail) {
        return new HttpProblem(
                status,
                new JsonObject()
                        .put("type", "urn:sluice:" + type)
                        .put("title", type.replace('-', ' '))
                        .put("status", status)
                        .put("detail", detail));
    }

    /** The same with more to say. */
    HttpProblem with(String name, Object value) {
        body.put(name, value);
        return this;
    }

    HttpProblem with(String name, JsonArray values) {
        body.put(name, values);
        return this;
    }

    void answer(HttpServerRequest request) {
        Answers.send(request, status, "application/problem+json", body.encodePrettily() + "\n");
    }

    /** Something that a caller sent, short enough to be shown to them. */
    static String cut(String value) {
        return value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE) + "…";
    }

    /** Thrown where there is no request at hand to answer. */
    static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;

        final transient HttpProblem problem;

        Refusal(HttpProblem problem) {
            super(problem.body.getString("detail"), null, false, false);
            this.problem = problem;
        }
    }

    Refusal refusal() {
        return new Refusal(this);
    }
}
