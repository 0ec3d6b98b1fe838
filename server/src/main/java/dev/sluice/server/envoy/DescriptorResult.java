package dev.sluice.server.envoy;

import com.google.protobuf.Duration;
import com.google.protobuf.Struct;
import dev.sluice.Decision;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.server.envoy.file.DescriptorLimit;
import dev.sluice.server.envoy.file.DescriptorLimit.Mode;
import dev.sluice.server.envoy.file.EnvoyUnit;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import org.jspecify.annotations.Nullable;

/**
 * The decision on one descriptor.
 *
 * @param over whether its limit is exceeded, whatever the mode of that limit is
 * @param windowSeconds the period of the limit, or 0
 * @param retrySeconds if its limit is exceeded: when to try again, or 0 if waiting does not help
 * @param limitName the rule, or the path to the limit in a file; empty if no limit applies
 * @param source which part decided, or null if no limit applies
 */
record DescriptorResult(
        DescriptorStatus status,
        Mode mode,
        boolean over,
        long windowSeconds,
        long retrySeconds,
        Struct metadata,
        String limitName,
        Decision.@Nullable Source source) {
    private static final int MAX_UNSIGNED = -1;

    /** No limit applies. */
    static final DescriptorResult NO_LIMIT = allowed(
            DescriptorStatus.newBuilder().setCode(RateLimitResponse.Code.OK).build());

    /** A limit applies that is unlimited. */
    static final DescriptorResult UNLIMITED = allowed(DescriptorStatus.newBuilder()
            .setCode(RateLimitResponse.Code.OK)
            .setLimitRemaining(MAX_UNSIGNED)
            .build());

    private static DescriptorResult allowed(DescriptorStatus status) {
        return new DescriptorResult(status, Mode.ENFORCED, false, 0, 0, Struct.getDefaultInstance(), "", null);
    }

    /** The result for a limit of a file, by the state of its window. */
    static DescriptorResult of(DescriptorLimit limit, EnvoyUnit unit, WindowCounter.Usage usage) {
        return of(
                limit.message(),
                unit.period().toSeconds(),
                limit.mode(),
                usage.hits() > limit.requestsPerUnit(),
                Math.max(0, limit.requestsPerUnit() - usage.hits()),
                usage.endsInMicros(),
                usage.endsInMicros(),
                limit.metadata());
    }

    /** The result for a limit. Times are rounded up to whole seconds, and left out if they are never. */
    static DescriptorResult of(
            RateLimitResponse.RateLimit limit,
            long windowSeconds,
            Mode mode,
            boolean over,
            long remaining,
            long resetMicros,
            long retryMicros,
            Struct metadata) {
        DescriptorStatus.Builder status = DescriptorStatus.newBuilder()
                .setCode(over && mode != Mode.SHADOW ? RateLimitResponse.Code.OVER_LIMIT : RateLimitResponse.Code.OK)
                .setCurrentLimit(limit)
                .setLimitRemaining((int) Math.min(remaining, 0xFFFF_FFFFL));
        if (resetMicros != Decision.NEVER_MICROS) {
            status.setDurationUntilReset(Duration.newBuilder().setSeconds(RateLimitHeaders.seconds(resetMicros)));
        }
        long retry =
                over && retryMicros != Decision.NEVER_MICROS ? Math.max(1, RateLimitHeaders.seconds(retryMicros)) : 0;
        return new DescriptorResult(status.build(), mode, over, windowSeconds, retry, metadata, "", null);
    }

    /** The same, with the limit that decided and the part that counted. */
    DescriptorResult by(String limitName, Decision.Source source) {
        return new DescriptorResult(status, mode, over, windowSeconds, retrySeconds, metadata, limitName, source);
    }

    boolean limited() {
        return status.hasCurrentLimit();
    }

    /** Whether it denies the request by itself. */
    boolean denies() {
        return over && mode == Mode.ENFORCED;
    }

    boolean allowed() {
        return status.getCode() == RateLimitResponse.Code.OK;
    }

    long resetSeconds() {
        return status.getDurationUntilReset().getSeconds();
    }
}
