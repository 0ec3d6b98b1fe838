package dev.sluice;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * A limiter's decision on one request. Limiters make decisions; {@link Limiter#refund} and {@link Limiter#release} take
 * those of the same limiter.
 *
 * <p>Of several limits on one limiter, {@link #remaining} is the smallest, and {@link #limit} is that of the tightest:
 * the one that denies for longest, or else the one with the fewest permits left.
 */
public interface Decision {
    /** Who made a decision, and so where its permits were taken from. */
    enum Source {
        /** A limiter in this process; for a limiter on Redis, its local fallback while Redis does not answer. */
        LOCAL,
        /** Redis. */
        REDIS,
        /** A batch of permits that this process had fetched from Redis. */
        BATCH,
        /** The cache of denials: Redis denied the same request a moment ago. */
        DENIAL_CACHE,
        /** The failure policy, in place of a Redis that did not answer. Nothing was taken. */
        FAILURE_POLICY
    }

    /** The number of microseconds that stands for <em>never</em>. */
    long NEVER_MICROS = Long.MAX_VALUE;

    /** The duration that stands for <em>never</em>: some 292 years, the longest that fits a {@code long} of nanoseconds. */
    Duration NEVER = Duration.ofNanos(Long.MAX_VALUE);

    /** Allowed, or why not. */
    Outcome outcome();

    /** How many permits the request asks for. */
    long permits();

    /** The largest number of permits that can be taken at once. */
    long limit();

    /** How many permits could be taken right now, after this decision. */
    long remaining();

    /**
     * When denied: microseconds until the same request would be allowed if nobody else came, {@link #NEVER_MICROS} if
     * time alone will not do; 0 when allowed.
     */
    long retryAfterMicros();

    /** Microseconds until everything taken has been regained, {@link #NEVER_MICROS} if time alone will not do. */
    long resetAfterMicros();

    /** When allowed by a queue: microseconds to wait before the work may start. */
    long delayMicros();

    /** Who made the decision. */
    Source source();

    /**
     * The decision of each limit, in their order. Of a denied request some may be allowed: then nothing was taken from
     * them.
     */
    List<Decision> perLimit();

    /** Whether the request may go ahead. */
    default boolean allowed() {
        return outcome() == Outcome.ALLOWED || outcome() == Outcome.SHADOWED;
    }

    /**
     * Whether time alone will never allow the request: it asks for more than the limit can ever grant ({@link
     * Outcome#NEVER}), or waits for others to release what they hold.
     */
    default boolean never() {
        return retryAfterMicros() == NEVER_MICROS;
    }

    /** How long until the same request would be allowed if nobody else came; zero when allowed. */
    default Duration retryAfter() {
        return duration(retryAfterMicros());
    }

    /**
     * {@link #retryAfter} in whole seconds, rounded up, as the header {@code Retry-After} has it; empty if it is never.
     */
    default OptionalLong retryAfterSeconds() {
        long micros = retryAfterMicros();
        return micros == NEVER_MICROS
                ? OptionalLong.empty()
                : OptionalLong.of(micros / 1_000_000 + (micros % 1_000_000 == 0 ? 0 : 1));
    }

    /** How long until everything taken has been regained. */
    default Duration resetAfter() {
        return duration(resetAfterMicros());
    }

    /** How long to wait before starting the work; zero except for a leaky bucket that queues. */
    default Duration delay() {
        return duration(delayMicros());
    }

    private static Duration duration(long micros) {
        return micros >= Long.MAX_VALUE / 1000 ? NEVER : Duration.ofNanos(1000 * micros);
    }
}
