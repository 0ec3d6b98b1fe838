package dev.sluice.server.envoy;

import com.google.protobuf.Duration;
import com.google.protobuf.Struct;
import dev.sluice.Decision;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;

/**
 * What one descriptor comes to.
 *
 * @param over whether its limit is exceeded, whatever that leads to
 * @param windowSeconds the period of the limit, or 0
 * @param retrySeconds when over: when to come again, or 0 when time alone will not do
 */
record Ruled(
        DescriptorStatus status,
        Quota.Mode mode,
        boolean over,
        long windowSeconds,
        long retrySeconds,
        Struct metadata) {
    private static final long MICROS = 1_000_000;
    private static final int MOST = -1; // of an unsigned 32-bit number

    /** No limit applies. */
    static final Ruled FREE = free(
            DescriptorStatus.newBuilder().setCode(RateLimitResponse.Code.OK).build());

    /** A limit applies that has no end. */
    static final Ruled UNLIMITED = free(DescriptorStatus.newBuilder()
            .setCode(RateLimitResponse.Code.OK)
            .setLimitRemaining(MOST)
            .build());

    private static Ruled free(DescriptorStatus status) {
        return new Ruled(status, Quota.Mode.ENFORCED, false, 0, 0, Struct.getDefaultInstance());
    }

    /** A limit applies. Times are rounded up to whole seconds; what never comes is not told. */
    static Ruled of(
            RateLimitResponse.RateLimit limit,
            long windowSeconds,
            Quota.Mode mode,
            boolean over,
            long remaining,
            long resetMicros,
            long retryMicros,
            Struct metadata) {
        DescriptorStatus.Builder status = DescriptorStatus.newBuilder()
                .setCode(
                        over && mode != Quota.Mode.SHADOW
                                ? RateLimitResponse.Code.OVER_LIMIT
                                : RateLimitResponse.Code.OK)
                .setCurrentLimit(limit)
                .setLimitRemaining((int) Math.min(remaining, 0xFFFF_FFFFL));
        if (resetMicros != Decision.NEVER_MICROS) {
            status.setDurationUntilReset(Duration.newBuilder().setSeconds(seconds(resetMicros)));
        }
        long retry = over && retryMicros != Decision.NEVER_MICROS ? Math.max(1, seconds(retryMicros)) : 0;
        return new Ruled(status.build(), mode, over, windowSeconds, retry, metadata);
    }

    /** Never too early. */
    static long seconds(long micros) {
        return micros / MICROS + (micros % MICROS == 0 ? 0 : 1);
    }

    boolean limited() {
        return status.hasCurrentLimit();
    }

    /** Whether it denies the request by itself. */
    boolean denies() {
        return over && mode == Quota.Mode.ENFORCED;
    }

    boolean passed() {
        return status.getCode() == RateLimitResponse.Code.OK;
    }

    long resetSeconds() {
        return status.getDurationUntilReset().getSeconds();
    }
}
