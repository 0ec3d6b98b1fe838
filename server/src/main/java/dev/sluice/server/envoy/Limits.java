package dev.sluice.server.envoy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.util.concurrent.CompletableFuture;

/** What answers the questions of an Envoy. */
interface Limits {
    /** Never blocks. The request has a domain and at least one descriptor. */
    CompletableFuture<RateLimitResponse> decide(RateLimitRequest request);
}
