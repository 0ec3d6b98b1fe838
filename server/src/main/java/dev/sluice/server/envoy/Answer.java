package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.sluice.rules.RateLimitHeaders;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts together what the descriptors of one request come to. */
final class Answer {
    private Answer() {}

    static RateLimitResponse of(RateLimitRequest request, List<Ruled> ruled) {
        RateLimitResponse.Builder answer = RateLimitResponse.newBuilder();
        boolean denied = denied(ruled);
        answer.setOverallCode(denied ? RateLimitResponse.Code.OVER_LIMIT : RateLimitResponse.Code.OK);
        for (Ruled one : ruled) {
            answer.addStatuses(one.status());
        }
        Ruled told = decisive(ruled);
        if (told != null) {
            headers(answer, told, denied);
        }
        if (ruled.stream().anyMatch(one -> one.metadata().getFieldsCount() > 0)) {
            answer.setDynamicMetadata(metadata(request, ruled));
        }
        return answer.build();
    }

    /** One that denies is enough; of those that deny together all are needed. */
    private static boolean denied(List<Ruled> ruled) {
        boolean together = false;
        boolean all = true;
        for (Ruled one : ruled) {
            if (one.denies()) {
                return true;
            }
            if (one.mode() == Quota.Mode.ALL) {
                together = true;
                all &= one.over();
            }
        }
        return together && all;
    }

    /** The one that denies for longest, else the one with the least left. */
    private static @Nullable Ruled decisive(List<Ruled> ruled) {
        Ruled told = null;
        for (Ruled one : ruled) {
            if (one.limited() && (told == null || before(one, told))) {
                told = one;
            }
        }
        return told;
    }

    private static boolean before(Ruled one, Ruled other) {
        if (one.passed() != other.passed()) {
            return !one.passed();
        }
        return one.passed()
                ? Integer.compareUnsigned(
                                one.status().getLimitRemaining(), other.status().getLimitRemaining())
                        < 0
                : one.retrySeconds() > other.retrySeconds();
    }

    private static void headers(RateLimitResponse.Builder answer, Ruled told, boolean denied) {
        RateLimitResponse.RateLimit limit = told.status().getCurrentLimit();
        String name = limit.getName().isEmpty() ? "default" : limit.getName();
        add(
                answer,
                RateLimitHeaders.POLICY,
                RateLimitHeaders.policy(
                        name, Integer.toUnsignedLong(limit.getRequestsPerUnit()), told.windowSeconds()));
        add(
                answer,
                RateLimitHeaders.STATE,
                RateLimitHeaders.state(
                        name,
                        Integer.toUnsignedLong(told.status().getLimitRemaining()),
                        told.over() ? told.retrySeconds() : told.resetSeconds()));
        if (denied && told.retrySeconds() > 0) {
            add(answer, RateLimitHeaders.RETRY_AFTER, Long.toString(told.retrySeconds()));
        }
    }

    private static void add(RateLimitResponse.Builder answer, String name, String value) {
        answer.addResponseHeadersToAdd(HeaderValue.newBuilder().setKey(name).setValue(value));
    }

    private static Struct metadata(RateLimitRequest request, List<Ruled> ruled) {
        Struct.Builder merged = Struct.newBuilder();
        ruled.stream().filter(Ruled::passed).forEach(one -> merge(merged, one.metadata()));
        Struct.Builder all = Struct.newBuilder()
                .putFields(
                        "domain",
                        Value.newBuilder().setStringValue(request.getDomain()).build());
        if (merged.getFieldsCount() > 0) {
            all.putFields("metadata", Value.newBuilder().setStructValue(merged).build());
        }
        return all.build();
    }

    /** What came first stays; mappings are merged. */
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
