package dev.sluice.server.admin;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads bodies of a known kind, up to a size. */
final class Bodies {
    static final List<String> JSON = List.of("application/json");
    static final List<String> YAML =
            List.of("application/yaml", "text/yaml", "application/x-yaml", "text/x-yaml", "application/json");

    private static final int DIGITS = 10;

    private Bodies() {}

    /** The body; a failure is a {@link HttpProblem.Refusal}. A PUT, which no page sends unasked, need not say its type. */
    static Future<Buffer> read(HttpServerRequest request, List<String> types, int mostBytes) {
        String type = type(request.getHeader("Content-Type"));
        if (type == null ? request.method().name().equals("POST") : !types.contains(type)) {
            return Future.failedFuture(HttpProblem.of(
                            415,
                            "unsupported-media-type",
                            "Content-Type must be " + types.get(0) + ", was "
                                    + (type == null ? "not given" : "'" + HttpProblem.cut(type) + "'"))
                    .refusal());
        }
        String length = request.getHeader("Content-Length");
        if (length != null && (length.length() > DIGITS || Long.parseLong(length) > mostBytes)) {
            return Future.failedFuture(tooLarge(request, mostBytes));
        }
        if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
            request.response().writeContinue();
        }
        return new Reading(request, mostBytes).body();
    }

    private static HttpProblem.Refusal tooLarge(HttpServerRequest request, int mostBytes) {
        if (request.version() != HttpVersion.HTTP_2) { // which has no such header
            request.response().putHeader("Connection", "close");
        }
        return HttpProblem.of(413, "content-too-large", "a body has at most " + mostBytes + " bytes here")
                .refusal();
    }

    private static @Nullable String type(@Nullable String header) {
        return header == null ? null : header.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    private static final class Reading {
        private final HttpServerRequest request;
        private final int mostBytes;
        private final Buffer body = Buffer.buffer();
        private final Promise<Buffer> promise = Promise.promise();

        Reading(HttpServerRequest request, int mostBytes) {
            this.request = request;
            this.mostBytes = mostBytes;
        }

        Future<Buffer> body() {
            request.exceptionHandler(promise::tryFail).handler(this::more).endHandler(end -> promise.tryComplete(body));
            return promise.future();
        }

        /** What comes after the most is read and forgotten, so that the answer arrives; a slow one meets the idle timeout. */
        private void more(Buffer part) {
            if (promise.future().isComplete()) {
                return;
            }
            if (body.length() + part.length() > mostBytes) {
                promise.tryFail(tooLarge(request, mostBytes));
            } else {
                body.appendBuffer(part);
            }
        }
    }
}
