package dev.sluice.server.envoy;

import dev.sluice.server.envoy.file.DescriptorLimit;
import dev.sluice.server.envoy.file.EnvoyUnit;
import dev.sluice.server.envoy.file.LimitPath;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Decides descriptors that have a {@code limit} of their own. The hits are counted by descriptor and unit, whatever the
 * number of that limit is. All of them are counted under one name, since it is the caller that makes them up.
 */
final class LimitOverrides {
    private static final String NAME = "limit_override";

    private volatile RateLimitListener listener = RateLimitListener.NONE;
    private final Map<EnvoyUnit, WindowCounter> counters = new EnumMap<>(EnvoyUnit.class);

    LimitOverrides(WindowCounter.Factory factory) {
        for (EnvoyUnit unit : EnvoyUnit.values()) {
            counters.put(unit, factory.unbounded(unit, "envoy-override/" + unit));
        }
    }

    CompletableFuture<CountedResult> decide(String domain, RateLimitDescriptor descriptor, long hits) {
        EnvoyUnit unit =
                Objects.requireNonNull(EnvoyUnit.of(descriptor.getLimit().getUnit()));
        long requests = Integer.toUnsignedLong(descriptor.getLimit().getRequestsPerUnit());
        LimitPath path = new LimitPath(domain, NAME);
        DescriptorLimit limit = DescriptorLimit.unnamed(path, unit, requests);
        WindowCounter counter = Objects.requireNonNull(counters.get(unit));
        String key = Descriptors.key(domain, descriptor);
        return counter.count(key, hits).thenApply(usage -> {
            if (hits > 0) {
                listener.counted(new DescriptorHits(
                        path,
                        NAME,
                        key,
                        hits,
                        usage.before(),
                        requests,
                        DescriptorHits.Mode.ENFORCED,
                        usage.source(),
                        usage.endsInMicros()));
            }
            return new CountedResult(
                    DescriptorResult.of(limit, unit, usage).by(path.name(), usage.source()), usage.uncount());
        });
    }

    void listener(RateLimitListener listener) {
        this.listener = listener;
    }
}
