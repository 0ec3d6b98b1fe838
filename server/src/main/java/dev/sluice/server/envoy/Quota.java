package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@code rate_limit} of a descriptor.
 *
 * @param identity what no other has: the domain and the keys and values that lead to it
 * @param unit the unit, or nothing when unlimited
 * @param requestsPerUnit how many hits are within the limit; 0 lets nothing through
 * @param name what others replace it by; empty when they cannot
 * @param replaces the names of those that are left out when this one applies
 * @param mode what being over it does
 * @param detailedMetric whether its metric names the values
 * @param message the same in an answer
 * @param metadata what the caller is told when this one is within its limit
 */
record Quota(
        String identity,
        @Nullable Unit unit,
        long requestsPerUnit,
        String name,
        Set<String> replaces,
        Mode mode,
        boolean detailedMetric,
        RateLimit message,
        Struct metadata) {

    /** What being over a limit does. */
    enum Mode {
        /** Denies the request. */
        ENFORCED,
        /** Is only counted. */
        SHADOW,
        /** Denies the request when all others of this mode in it are over too. */
        ALL
    }

    boolean unlimited() {
        return unit == null;
    }

    /** The same in an answer. */
    static RateLimit message(String name, long requestsPerUnit, @Nullable Unit unit) {
        RateLimit.Builder message =
                RateLimit.newBuilder().setName(name).setRequestsPerUnit((int) Math.min(requestsPerUnit, 0xFFFF_FFFFL));
        return unit == null ? message.build() : message.setUnit(unit.message()).build();
    }
}
