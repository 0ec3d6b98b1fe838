package dev.sluice.server.envoy;

import dev.sluice.Decision;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.util.List;
import java.util.Objects;

/** How a request to the rate limit service was decided, without the messages of Envoy. */
public final class RateLimitOutcome {
    private final RateLimitRequest request;
    private final RateLimitResponse response;
    private final List<DescriptorResult> results;

    RateLimitOutcome(RateLimitRequest request, RateLimitResponse response, List<DescriptorResult> results) {
        this.request = request;
        this.response = response;
        this.results = results;
    }

    public String domain() {
        return request.getDomain();
    }

    public boolean allowed() {
        return response.getOverallCode() != RateLimitResponse.Code.OVER_LIMIT;
    }

    /** The rules, or the limits in files, that applied to the descriptors. */
    public List<String> limits() {
        return results.stream()
                .map(DescriptorResult::limitName)
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }

    /** The parts that decided. */
    public List<Decision.Source> sources() {
        return results.stream()
                .map(DescriptorResult::source)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }
}
