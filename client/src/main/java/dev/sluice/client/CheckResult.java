package dev.sluice.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a check.
 *
 * @param allowed whether the request may go ahead
 * @param rule the rule that decides; null if no rule applies, or if the failure policy decided
 * @param limit the largest number of permits that can be taken at once; {@link #UNLIMITED} if there is no rule
 * @param remaining how many permits could be taken right now; {@link #UNLIMITED} if there is no rule
 * @param retryAfter if denied: after how long the same request would be allowed, without other traffic; {@link #NEVER} if
 *     waiting does not help
 * @param resetAfter after how long all permits are available again; {@link #NEVER} if they have to be released
 * @param delay how long to wait before the request starts, if a queue admitted it
 * @param degraded whether the request should be served in a cheaper way
 * @param hold the token of permits that are held until {@link SluiceClient#holdOf} releases them; null if there are none
 * @param source who decided
 * @param failure why the server gave no answer; null if it did
 */
public record CheckResult(
        boolean allowed,
        @Nullable String rule,
        long limit,
        long remaining,
        Duration retryAfter,
        Duration resetAfter,
        Duration delay,
        boolean degraded,
        @Nullable String hold,
        Source source,
        @Nullable String failure) {

    /** Who decided. */
    public enum Source {
        /** The server, by its rules. */
        SERVER,
        /** The failure policy of the client, in place of a server that gave no answer. Nothing was taken. */
        FAILURE_POLICY
    }

    /** The duration that stands for <em>never</em>: some 292 years, the longest that fits a {@code long} of nanoseconds. */
    public static final Duration NEVER = Duration.ofNanos(Long.MAX_VALUE);

    /** The number of permits where there is no limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private static final Duration RETRY_WHEN_DENIED = Duration.ofSeconds(1);

    /** What a policy decides. */
    static CheckResult byPolicy(FailurePolicy policy, String failure) {
        return switch (policy) {
            case ALLOW -> byPolicy(true, UNLIMITED, Duration.ZERO, failure);
            case DENY -> byPolicy(false, 0, RETRY_WHEN_DENIED, failure);
            case THROW -> throw new SluiceUnavailableException(failure);
        };
    }

    private static CheckResult byPolicy(boolean allowed, long permits, Duration retryAfter, String failure) {
        return new CheckResult(
                allowed,
                null,
                permits,
                permits,
                retryAfter,
                Duration.ZERO,
                Duration.ZERO,
                false,
                null,
                Source.FAILURE_POLICY,
                failure);
    }

    /** Whether waiting does not help a denied request. */
    public boolean never() {
        return retryAfter.equals(NEVER);
    }
}
