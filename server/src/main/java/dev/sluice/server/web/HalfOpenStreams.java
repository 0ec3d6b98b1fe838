package dev.sluice.server.web;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * Ends the streams of HTTP/2 whose requests were answered and never end: a client that leaves them open would otherwise keep
 * a thousand of them on each connection, with their heads, for as long as it likes.
 */
public final class HalfOpenStreams implements Handler<HttpServerRequest> {
    private static final long NO_ERROR = 0;

    private final Vertx vertx;
    private final Handler<HttpServerRequest> handler;

    /** Passes all requests on to {@code handler}. They must be over HTTP/2. */
    public HalfOpenStreams(Vertx vertx, Handler<HttpServerRequest> handler) {
        this.vertx = vertx;
        this.handler = handler;
    }

    @Override
    public void handle(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        response.endHandler(sent -> {
            if (!request.isEnded()) { // it may end with its head, which is known a moment after the handler was called
                vertx.runOnContext(later -> {
                    if (!request.isEnded() && !response.closed()) {
                        response.reset(NO_ERROR);
                    }
                });
            }
        });
        handler.handle(request);
    }
}
