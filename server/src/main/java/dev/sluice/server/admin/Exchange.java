package dev.sluice.server.admin;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request to the admin port by somebody who may make it. */
final class Exchange {
    private static final System.Logger LOG = System.getLogger(Exchange.class.getName());

    final HttpServerRequest request;
    final Caller caller;
    /** The path, taken apart at its slashes and decoded. */
    final List<String> path;

    Exchange(HttpServerRequest request, Caller caller) {
        this.request = request;
        this.caller = caller;
        this.path = parts(Objects.requireNonNullElse(request.path(), "/"));
    }

    boolean isMethod(String name) {
        return request.method().name().equals(name);
    }

    /** {@code GET} and {@code HEAD} alike. */
    boolean isRead() {
        return AdminGate.isRead(request);
    }

    /** Does something with what is to come, or tells why it does not come. */
    <T> void when(CompletionStage<T> stage, Consumer<T> done) {
        when(Future.fromCompletionStage(stage), done);
    }

    <T> void when(Future<T> future, Consumer<T> done) {
        future.onComplete(result -> {
            try {
                if (result.failed()) {
                    refuse(result.cause());
                } else {
                    done.accept(result.result());
                }
            } catch (RuntimeException e) {
                refuse(e);
            }
        });
    }

    void refuse(Throwable cause) {
        Throwable told = cause instanceof java.util.concurrent.CompletionException && cause.getCause() != null
                ? cause.getCause()
                : cause;
        if (told instanceof HttpProblem.Refusal refusal) {
            refusal.problem.answer(request);
        } else if (!request.response().closed()) {
            LOG.log(System.Logger.Level.ERROR, request.method() + " " + request.path() + " failed", told);
            HttpProblem.of(500, "failed", "this should not happen; the log of the server says more")
                    .answer(request);
        }
    }

    void json(int status, JsonObject body) {
        Answers.json(request, status, body);
    }

    void wrongMethod(String allowed) {
        request.response().putHeader("Allow", allowed);
        HttpProblem.of(405, "method-not-allowed", "only " + allowed + " here, was " + request.method())
                .answer(request);
    }

    void notFound(String detail) {
        HttpProblem.of(404, "not-found", detail).answer(request);
    }

    /** The body as JSON in which there is nothing but these members. */
    Future<JsonObject> body(int mostBytes, String... members) {
        return Bodies.read(request, Bodies.JSON, mostBytes).map(bytes -> {
            JsonObject body;
            try {
                body = new JsonObject(bytes.length() == 0 ? "{}" : bytes.toString(StandardCharsets.UTF_8));
            } catch (RuntimeException e) {
                throw bad("the body is not a JSON object: "
                        + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
            }
            for (String name : body.fieldNames()) {
                if (!List.of(members).contains(name)) {
                    throw bad("there is no member '" + HttpProblem.cut(name) + "'; there are "
                            + String.join(", ", members));
                }
            }
            return body;
        });
    }

    /** A whole number from 1 on in the query; null if there is none of that name. */
    @Nullable
    Long number(String name) {
        String text = request.getParam(name);
        if (text == null) {
            return null;
        }
        if (!text.matches("[1-9]\\d{0,17}")) {
            throw bad(name + " must be a whole number from 1, was '" + HttpProblem.cut(text) + "'");
        }
        return Long.parseLong(text);
    }

    static HttpProblem.Refusal bad(String detail) {
        return HttpProblem.of(400, "bad-request", detail).refusal();
    }

    private static List<String> parts(String path) {
        List<String> parts = new ArrayList<>();
        for (String part : path.substring(Math.min(1, path.length())).split("/", -1)) {
            try {
                parts.add(URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8));
            } catch (IllegalArgumentException e) {
                throw bad(
                        "in the path a '%' is not followed by two hexadecimal digits: '" + HttpProblem.cut(part) + "'");
            }
        }
        return parts;
    }
}
