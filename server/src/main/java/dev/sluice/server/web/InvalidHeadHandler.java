package dev.sluice.server.web;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;

/** Answers requests whose head could not be decoded. Vert.x closes their connections after that. */
public final class InvalidHeadHandler implements Handler<HttpServerRequest> {
    private final Bounds bounds;

    public InvalidHeadHandler(Bounds bounds) {
        this.bounds = bounds;
    }

    @Override
    public void handle(HttpServerRequest request) {
        problem(request.decoderResult().cause()).send(request);
    }

    private HttpProblem problem(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return HttpProblem.of(
                    414, "the request line has at most " + bounds.request().lineBytes() + " bytes");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return HttpProblem.of(
                    431, "the header fields have at most " + bounds.request().headerBytes() + " bytes together");
        }
        String message = cause.getMessage();
        return HttpProblem.badRequest("this is not a request in HTTP/1.1: "
                + (message == null ? cause.getClass().getSimpleName() : message.strip()));
    }
}
