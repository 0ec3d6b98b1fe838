package dev.sluice.server.envoy;

import io.vertx.core.http.HttpServerRequest;

/** Hears of every request to the rate limit service that was decided. Keep it quick. */
@FunctionalInterface
public interface CallListener {
    /** Hears nothing. */
    CallListener NONE = (call, beganNanos, outcome) -> {};

    /**
     * A request was decided.
     *
     * @param call the request over HTTP that brought it
     * @param beganNanos when it came, by {@link System#nanoTime}
     */
    void decided(HttpServerRequest call, long beganNanos, RateLimitOutcome outcome);
}
