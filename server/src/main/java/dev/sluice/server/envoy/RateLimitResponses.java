package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.server.envoy.file.DescriptorLimit;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Combines the results of all descriptors of a request into the response. */
final class RateLimitResponses {
    private RateLimitResponses() {}

    static RateLimitResponse of(RateLimitRequest request, List<DescriptorResult> results) {
        RateLimitResponse.Builder response = RateLimitResponse.newBuilder();
        boolean denied = denied(results);
        response.setOverallCode(denied ? RateLimitResponse.Code.OVER_LIMIT : RateLimitResponse.Code.OK);
        for (DescriptorResult one : results) {
            response.addStatuses(one.status());
        }
        DescriptorResult decisive = decisive(results);
        if (decisive != null) {
            headers(response, decisive, denied);
        }
        if (results.stream().anyMatch(one -> one.metadata().getFieldsCount() > 0)) {
            response.setDynamicMetadata(metadata(request, results));
        }
        return response.build();
    }

    /** One limit that denies by itself is enough; of those in quota mode all must be exceeded. */
    private static boolean denied(List<DescriptorResult> results) {
        boolean hasQuota = false;
        boolean allOver = true;
        for (DescriptorResult one : results) {
            if (one.denies()) {
                return true;
            }
            if (one.mode() == DescriptorLimit.Mode.ALL) {
                hasQuota = true;
                allOver &= one.over();
            }
        }
        return hasQuota && allOver;
    }

    /** The one that denies for longest, else the one with the least remaining. */
    private static @Nullable DescriptorResult decisive(List<DescriptorResult> results) {
        DescriptorResult decisive = null;
        for (DescriptorResult one : results) {
            if (one.limited() && (decisive == null || before(one, decisive))) {
                decisive = one;
            }
        }
        return decisive;
    }

    private static boolean before(DescriptorResult one, DescriptorResult other) {
        if (one.allowed() != other.allowed()) {
            return !one.allowed();
        }
        return one.allowed()
                ? Integer.compareUnsigned(
                                one.status().getLimitRemaining(), other.status().getLimitRemaining())
                        < 0
                : one.retrySeconds() > other.retrySeconds();
    }

    private static void headers(RateLimitResponse.Builder response, DescriptorResult decisive, boolean denied) {
        RateLimitResponse.RateLimit limit = decisive.status().getCurrentLimit();
        String name = limit.getName().isEmpty() ? "default" : limit.getName();
        add(
                response,
                RateLimitHeaders.POLICY,
                RateLimitHeaders.policy(
                        name, Integer.toUnsignedLong(limit.getRequestsPerUnit()), decisive.windowSeconds()));
        add(
                response,
                RateLimitHeaders.STATE,
                RateLimitHeaders.state(
                        name,
                        Integer.toUnsignedLong(decisive.status().getLimitRemaining()),
                        decisive.over() ? decisive.retrySeconds() : decisive.resetSeconds()));
        if (denied && decisive.retrySeconds() > 0) {
            add(response, RateLimitHeaders.RETRY_AFTER, Long.toString(decisive.retrySeconds()));
        }
    }

    private static void add(RateLimitResponse.Builder response, String name, String value) {
        response.addResponseHeadersToAdd(HeaderValue.newBuilder().setKey(name).setValue(value));
    }

    private static Struct metadata(RateLimitRequest request, List<DescriptorResult> results) {
        Struct.Builder merged = Struct.newBuilder();
        results.stream().filter(DescriptorResult::allowed).forEach(one -> merge(merged, one.metadata()));
        Struct.Builder all = Struct.newBuilder()
                .putFields(
                        "domain",
                        Value.newBuilder().setStringValue(request.getDomain()).build());
        if (merged.getFieldsCount() > 0) {
            all.putFields("metadata", Value.newBuilder().setStructValue(merged).build());
        }
        return all.build();
    }

    /** The first value of a name stays; mappings are merged. */
    private static void merge(Struct.Builder into, Struct from) {
        from.getFieldsMap().forEach((name, value) -> {
            Value there = into.getFieldsOrDefault(name, Value.getDefaultInstance());
            if (!into.containsFields(name)) {
                into.putFields(name, value);
            } else if (there.hasStructValue() && value.hasStructValue()) {
                Struct.Builder both = there.getStructValue().toBuilder();
                merge(both, value.getStructValue());
                into.putFields(name, Value.newBuilder().setStructValue(both).build());
            }
        });
    }
}
