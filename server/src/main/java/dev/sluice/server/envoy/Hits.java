package dev.sluice.server.envoy;

import dev.sluice.Limit;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;

/** How many hits a descriptor adds. */
final class Hits {
    private Hits() {}

    /** What the descriptor says, where 0 only asks; else what the request says, where 0 is 1. */
    static long of(RateLimitRequest request, RateLimitDescriptor descriptor) {
        if (descriptor.hasHitsAddend()) {
            long hits = descriptor.getHitsAddend().getValue();
            return hits < 0 ? Limit.MAX_PERMITS : Math.min(hits, Limit.MAX_PERMITS); // unsigned
        }
        return Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
    }
}
