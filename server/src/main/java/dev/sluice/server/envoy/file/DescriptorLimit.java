package dev.sluice.server.envoy.file;

import com.google.protobuf.Struct;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@code rate_limit} of a descriptor.
 *
 * @param path where it stands, for people
 * @param identity unique: the domain and the keys and values that lead to it
 * @param unit the unit, or null when it is unlimited
 * @param requestsPerUnit how many hits are within the limit; 0 denies all
 * @param name the name by which others replace it; empty if it has none
 * @param replaces the names of the limits that do not apply where this one does
 * @param mode what happens when it is exceeded
 * @param detailedMetric whether the name of its metric has the values of the request
 * @param message the same as a part of the response
 * @param metadata what the response carries while this limit is not exceeded
 */
public record DescriptorLimit(
        LimitPath path,
        String identity,
        @Nullable EnvoyUnit unit,
        long requestsPerUnit,
        String name,
        Set<String> replaces,
        Mode mode,
        boolean detailedMetric,
        RateLimit message,
        Struct metadata) {

    /** What happens when a limit is exceeded. */
    public enum Mode {
        /** The request is denied. */
        ENFORCED,
        /** It is only counted. */
        SHADOW,
        /** The request is denied if all other limits of this mode in it are exceeded too. */
        ALL
    }

    /** An enforced limit without a name or other options. */
    public static DescriptorLimit unnamed(LimitPath path, EnvoyUnit unit, long requestsPerUnit) {
        return new DescriptorLimit(
                path,
                "",
                unit,
                requestsPerUnit,
                "",
                Set.of(),
                Mode.ENFORCED,
                false,
                message("", requestsPerUnit, unit),
                Struct.getDefaultInstance());
    }

    /** Whether there is no limit. */
    public boolean unlimited() {
        return unit == null;
    }

    /** A limit as a part of the response. */
    public static RateLimit message(String name, long requestsPerUnit, @Nullable EnvoyUnit unit) {
        RateLimit.Builder message =
                RateLimit.newBuilder().setName(name).setRequestsPerUnit((int) Math.min(requestsPerUnit, 0xFFFF_FFFFL));
        return unit == null ? message.build() : message.setUnit(unit.message()).build();
    }
}
