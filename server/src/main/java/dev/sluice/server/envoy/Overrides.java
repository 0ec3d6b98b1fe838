package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.server.envoy.WindowCounter.Standing;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Descriptors that bring their own limit. The count is one for a descriptor and unit, whatever limit is brought. */
final class Overrides {
    private final Map<Unit, WindowCounter> counters = new EnumMap<>(Unit.class);
    private final Windows windows;

    Overrides(Store store, OnFailure onFailure, Windows windows) {
        this.windows = windows;
        for (Unit unit : Unit.values()) {
            counters.put(unit, WindowCounter.unbounded(unit, "envoy-override/" + unit, store, onFailure));
        }
    }

    CompletableFuture<Ruled> decide(String domain, RateLimitDescriptor descriptor, long hits) {
        Unit unit = Objects.requireNonNull(Unit.of(descriptor.getLimit().getUnit()));
        long requests = Integer.toUnsignedLong(descriptor.getLimit().getRequestsPerUnit());
        Quota quota = new Quota(
                "",
                unit,
                requests,
                "",
                Set.of(),
                Quota.Mode.ENFORCED,
                false,
                Quota.message("", requests, unit),
                Struct.getDefaultInstance());
        WindowCounter counter = Objects.requireNonNull(counters.get(unit));
        CompletableFuture<Standing> standing = counter.count(Keys.of(domain, descriptor), hits);
        return standing.thenApply(stands -> windows.ruled(quota, unit, stands));
    }
}
