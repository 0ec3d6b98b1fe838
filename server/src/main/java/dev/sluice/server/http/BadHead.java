package dev.sluice.server.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;

/** Answers requests whose head could not be read. Their connections are closed after that. */
public final class BadHead implements Handler<HttpServerRequest> {
    private final Bounds bounds;

    public BadHead(Bounds bounds) {
        this.bounds = bounds;
    }

    @Override
    public void handle(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        if (cause instanceof TooLongHttpLineException) {
            Problem.send(request, 414, "the request line has at most " + bounds.lineBytes() + " bytes");
        } else if (cause instanceof TooLongHttpHeaderException) {
            Problem.send(request, 431, "the header fields have at most " + bounds.headerBytes() + " bytes together");
        } else {
            Problem.send(request, 400, "this is not a request in HTTP/1.1: " + said(cause));
        }
    }

    private static String said(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message.strip();
    }
}
