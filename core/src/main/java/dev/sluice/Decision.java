package dev.sluice;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * A limiter's decision on one request.
 *
 * <p>Of several limits on one limiter, {@code remaining} is the smallest, and {@code limit} is that of the tightest: the
 * one that denies for longest, or else the one with the fewest permits left.
 *
 * @param outcome allowed, or why not
 * @param permits how many permits the request asks for
 * @param limit the largest number of permits that can be taken at once
 * @param remaining how many permits could be taken right now, after this decision
 * @param retryAfterMicros when denied: microseconds until the same request would be allowed if nobody else came,
 *     {@link #NEVER_MICROS} if time alone will not do; 0 when allowed
 * @param resetAfterMicros microseconds until everything taken has been regained, {@link #NEVER_MICROS} if time alone
 *     will not do
 * @param delayMicros when allowed by a queue: microseconds to wait before the work may start
 * @param takenAtMicros when the permits were taken, on the limiter's own clock; {@link Limiter#refund} needs it
 * @param source who made the decision
 * @param parts of several limits: the decision of each; of one, nothing
 */
public record Decision(
        Outcome outcome,
        long permits,
        long limit,
        long remaining,
        long retryAfterMicros,
        long resetAfterMicros,
        long delayMicros,
        long takenAtMicros,
        Source source,
        List<Decision> parts) {

    /** Who made a decision, and so where its permits were taken from. */
    public enum Source {
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
    public static final long NEVER_MICROS = Long.MAX_VALUE;

    /** The duration that stands for <em>never</em>. */
    public static final Duration NEVER = ChronoUnit.FOREVER.getDuration();

    /** A request that may go ahead, after {@code delayMicros}. */
    public static Decision allowed(
            long permits, long limit, long remaining, long resetAfterMicros, long delayMicros, long takenAtMicros) {
        return new Decision(
                Outcome.ALLOWED,
                permits,
                limit,
                remaining,
                0,
                resetAfterMicros,
                delayMicros,
                takenAtMicros,
                Source.LOCAL,
                List.of());
    }

    /** A request that may not go ahead; {@code outcome} says why. */
    public static Decision denied(
            Outcome outcome, long permits, long limit, long remaining, long retryAfterMicros, long resetAfterMicros) {
        return new Decision(
                outcome, permits, limit, remaining, retryAfterMicros, resetAfterMicros, 0, 0, Source.LOCAL, List.of());
    }

    /** The same decision with those of each limit. */
    public Decision withParts(List<Decision> parts) {
        return copy(outcome, delayMicros, source, List.copyOf(parts));
    }

    /** The same decision, made by another. */
    public Decision withSource(Source source) {
        return copy(
                outcome,
                delayMicros,
                source,
                parts.isEmpty()
                        ? parts
                        : parts.stream().map(part -> part.withSource(source)).toList());
    }

    /**
     * The decision of each limit, in their order. Of a denied request some may be allowed: then nothing was taken from
     * them.
     */
    public List<Decision> perLimit() {
        return parts.isEmpty() ? List.of(this) : parts;
    }

    /** Whether the request may go ahead. */
    public boolean allowed() {
        return outcome == Outcome.ALLOWED || outcome == Outcome.SHADOWED;
    }

    /** Whether the request asks for more than the limit can ever grant. */
    public boolean never() {
        return outcome == Outcome.NEVER;
    }

    /** How long until the same request would be allowed if nobody else came; zero when allowed. */
    public Duration retryAfter() {
        return duration(retryAfterMicros);
    }

    /** How long until everything taken has been regained. */
    public Duration resetAfter() {
        return duration(resetAfterMicros);
    }

    /** How long to wait before starting the work; zero except for a leaky bucket that queues. */
    public Duration delay() {
        return duration(delayMicros);
    }

    /** The same as a shadow limiter gives it: nothing is denied, and nothing delayed. */
    public Decision asShadow() {
        return copy(allowed() ? outcome : Outcome.SHADOWED, 0, source, parts);
    }

    /** The same once the delay is over. */
    public Decision undelayed() {
        return copy(outcome, 0, source, parts);
    }

    private Decision copy(Outcome outcome, long delayMicros, Source source, List<Decision> parts) {
        return new Decision(
                outcome,
                permits,
                limit,
                remaining,
                retryAfterMicros,
                resetAfterMicros,
                delayMicros,
                takenAtMicros,
                source,
                parts);
    }

    private static Duration duration(long micros) {
        return micros == NEVER_MICROS ? NEVER : Duration.of(micros, ChronoUnit.MICROS);
    }
}
