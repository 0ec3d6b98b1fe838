package dev.sluice.server.web;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;

/** Handles the requests of a port. One for each event loop. */
public interface PortHandler extends Handler<HttpServerRequest> {
    /** Whether it takes requests for this target from {@link DirectRequests}. */
    default boolean takes(String uri) {
        return false;
    }

    /** Handles a request that it takes. */
    default void handle(Exchange exchange) {
        throw new IllegalStateException("takes no request like " + exchange.uri());
    }
}
