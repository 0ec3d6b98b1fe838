package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.server.admin.AdminAccess.Caller;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.BodyReader;
import dev.sluice.server.web.Bounds;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request to the admin port whose caller may make it, and the response to it. */
final class AdminRequest {
    static final List<String> YAML =
            List.of("application/yaml", "text/yaml", "application/x-yaml", "text/x-yaml", "application/json");

    private static final System.Logger LOG = System.getLogger(AdminRequest.class.getName());
    private static final List<String> JSON = List.of("application/json");

    private final Vertx vertx;
    private final BodyBudget budget;
    final HttpServerRequest http;
    final Caller caller;
    /** The path, split at its slashes and decoded. */
    final List<String> path;

    /** Throws an {@link HttpProblem} if the path cannot be decoded. */
    AdminRequest(Vertx vertx, BodyBudget budget, HttpServerRequest http, Caller caller) {
        this.vertx = vertx;
        this.budget = budget;
        this.http = http;
        this.caller = caller;
        this.path = segments(Objects.requireNonNullElse(http.path(), "/"));
    }

    boolean isMethod(String name) {
        return http.method().name().equals(name);
    }

    /** Whether this is a {@code GET} or a {@code HEAD}. */
    boolean isRead() {
        return AdminAccess.isRead(http);
    }

    /** Passes on a result when it is there, or sends the problem that kept it from being there. */
    <T> void when(CompletionStage<T> stage, Consumer<T> done) {
        when(Future.fromCompletionStage(stage), done);
    }

    <T> void when(Future<T> future, Consumer<T> done) {
        future.onComplete(result -> {
            try {
                if (result.failed()) {
                    fail(result.cause());
                } else {
                    done.accept(result.result());
                }
            } catch (RuntimeException e) {
                fail(e);
            }
        });
    }

    /** Sends a problem, or 500 for any other failure. */
    void fail(Throwable failure) {
        fail(http, failure);
    }

    static void fail(HttpServerRequest http, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof HttpProblem problem) {
            send(http, problem);
        } else if (!http.response().closed()) {
            LOG.log(System.Logger.Level.ERROR, http.method() + " " + http.path() + " failed", cause);
            send(http, HttpProblem.of(500, "failed", "this should not happen; the log of the server says more"));
        }
    }

    void wrongMethod(String allowed) {
        http.response().putHeader("Allow", allowed);
        send(http, HttpProblem.of(405, "method-not-allowed", "only " + allowed + " here, was " + http.method()));
    }

    void notFound(String detail) {
        send(http, HttpProblem.of(404, "not-found", detail));
    }

    void json(int status, JsonObject body) {
        send(status, "application/json", body.encodePrettily() + "\n");
    }

    void send(int status, String type, String body) {
        send(http, status, type, body);
    }

    void send(int status, String type, Buffer body) {
        send(http, status, type, body);
    }

    static void send(HttpServerRequest http, HttpProblem problem) {
        send(http, problem.status(), HttpProblem.MEDIA_TYPE, problem.body().encodePrettily() + "\n");
    }

    private static void send(HttpServerRequest http, int status, String type, String body) {
        send(http, status, type, Buffer.buffer(body));
    }

    private static void send(HttpServerRequest http, int status, String type, Buffer body) {
        HttpServerResponse response = http.response();
        if (response.ended() || response.closed()) {
            return;
        }
        secure(response).setStatusCode(status).putHeader("Content-Type", type);
        if (http.method().equals(HttpMethod.HEAD)) {
            response.putHeader("Content-Length", Integer.toString(body.length()))
                    .end();
        } else {
            response.end(body);
        }
    }

    /** Ends a response that has begun, so that its client sees that it is not whole. */
    static void cutOff(HttpServerRequest http) {
        if (http.version() == HttpVersion.HTTP_2) {
            http.response().reset();
        } else {
            http.connection().close();
        }
    }

    /** Forbids caching the response, guessing its type, and showing it in a page. */
    static HttpServerResponse secure(HttpServerResponse response) {
        return response.putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    }

    /**
     * Reads the body and passes it on, if it has one of these types. A PUT need not say its type: no page of another site
     * sends one without asking first.
     */
    void body(List<String> types, int maxBytes, Consumer<Buffer> done) {
        String header = http.getHeader("Content-Type");
        String type = header == null ? null : header.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (type == null ? isMethod("POST") : !types.contains(type)) {
            throw HttpProblem.of(
                    415,
                    "unsupported-media-type",
                    "Content-Type must be " + types.get(0) + ", was "
                            + (type == null ? "not given" : HttpProblem.quoted(type)));
        }
        when(
                new BodyReader(vertx, maxBytes, Bounds.DEFAULTS.requestTimeout(), budget)
                        .read(http)
                        .recover(failure -> Future.failedFuture(withType(failure))),
                done);
    }

    /** Problems of the admin port have types of their own. */
    private static Throwable withType(Throwable failure) {
        if (!(failure instanceof HttpProblem problem)) {
            return failure;
        }
        return switch (problem.status()) {
            case BodyReader.TOO_LARGE -> HttpProblem.of(413, "content-too-large", String.valueOf(problem.getMessage()));
            case BodyReader.TOO_SLOW -> HttpProblem.of(408, "request-timeout", String.valueOf(problem.getMessage()));
            case BodyReader.NO_ROOM -> HttpProblem.of(503, "too-many-bodies", String.valueOf(problem.getMessage()));
            default -> problem;
        };
    }

    /** Reads the body as JSON that has no members but these. */
    void json(int maxBytes, List<String> members, Consumer<JsonObject> done) {
        body(JSON, maxBytes, bytes -> {
            JsonObject body;
            try {
                body = new JsonObject(bytes.length() == 0 ? "{}" : bytes.toString(UTF_8));
            } catch (RuntimeException e) {
                throw badRequest("the body is not a JSON object: "
                        + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
            }
            for (String name : body.fieldNames()) {
                if (!members.contains(name)) {
                    throw badRequest("there is no member " + HttpProblem.quoted(name) + "; there are "
                            + String.join(", ", members));
                }
            }
            done.accept(body);
        });
    }

    /** A parameter of the query; null if it is absent. */
    @Nullable
    String parameter(String name) {
        try {
            return http.getParam(name);
        } catch (IllegalArgumentException e) {
            throw badRequest("in the query a '%' is not followed by two hexadecimal digits: "
                    + HttpProblem.quoted(String.valueOf(http.query())));
        }
    }

    /** A whole number from 1 in the query; null if the parameter is absent. */
    @Nullable
    Long number(String name) {
        String text = parameter(name);
        if (text == null) {
            return null;
        }
        if (!text.matches("[1-9]\\d{0,17}")) {
            throw badRequest(name + " must be a whole number from 1, was " + HttpProblem.quoted(text));
        }
        return Long.parseLong(text);
    }

    static HttpProblem badRequest(String detail) {
        return HttpProblem.of(400, "bad-request", detail);
    }

    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        for (String segment : path.substring(Math.min(1, path.length())).split("/", -1)) {
            try {
                segments.add(URLDecoder.decode(segment.replace("+", "%2B"), UTF_8));
            } catch (IllegalArgumentException e) {
                throw badRequest(
                        "in the path a '%' is not followed by two hexadecimal digits: " + HttpProblem.quoted(segment));
            }
        }
        return segments;
    }
}
