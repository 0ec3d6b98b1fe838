package dev.sluice;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The whole answer to one request.
 *
 * <p>Of several limits on one limiter, {@code remaining} is the least, and {@code limit} that of the tightest: the one
 * that denies for longest, or else the one with the fewest permits left.
 *
 * @param outcome why the answer is what it is
 * @param permits how many permits were asked for
 * @param limit the most permits that can be had at once
 * @param remaining how many permits could be taken right now, after this decision
 * @param retryAfterMicros when denied: microseconds until the same request would be allowed if nobody else came,
 *     {@link #NEVER_MICROS} if time alone will not do; 0 when allowed
 * @param resetAfterMicros microseconds until everything taken has been regained, {@link #NEVER_MICROS} if time alone
 *     will not do
 * @param delayMicros when allowed by a queue: microseconds to wait before the work may start
 * @param takenAtMicros when the permits were taken, on the limiter's own clock; {@link Limiter#refund} needs it
 * @param parts of several limits: what each says; of one, nothing
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
        List<Decision> parts) {

    /** The number of microseconds that stands for <em>never</em>. */
    public static final long NEVER_MICROS = Long.MAX_VALUE;

    /** The duration that stands for <em>never</em>. */
    public static final Duration NEVER = ChronoUnit.FOREVER.getDuration();

    /** A request that may go ahead, after {@code delayMicros}. */
    public static Decision allowed(
            long permits, long limit, long remaining, long resetAfterMicros, long delayMicros, long takenAtMicros) {
        return new Decision(
                Outcome.ALLOWED, permits, limit, remaining, 0, resetAfterMicros, delayMicros, takenAtMicros, List.of());
    }

    /** A request that may not go ahead; {@code outcome} says why. */
    public static Decision denied(
            Outcome outcome, long permits, long limit, long remaining, long retryAfterMicros, long resetAfterMicros) {
        return new Decision(outcome, permits, limit, remaining, retryAfterMicros, resetAfterMicros, 0, 0, List.of());
    }

    /** The same answer with what each of several limits says. */
    public Decision withParts(List<Decision> parts) {
        return new Decision(
                outcome,
                permits,
                limit,
                remaining,
                retryAfterMicros,
                resetAfterMicros,
                delayMicros,
                takenAtMicros,
                List.copyOf(parts));
    }

    /** What each limit says, in their order. Of a denied request some may say yes: then nothing was taken from them. */
    public List<Decision> each() {
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

    /** What a limiter that only watches says: nothing is denied, and nothing delayed. */
    public Decision watched() {
        return new Decision(
                allowed() ? outcome : Outcome.SHADOWED,
                permits,
                limit,
                remaining,
                retryAfterMicros,
                resetAfterMicros,
                0,
                takenAtMicros,
                parts);
    }

    /** The same once the delay is over. */
    public Decision undelayed() {
        return new Decision(
                outcome, permits, limit, remaining, retryAfterMicros, resetAfterMicros, 0, takenAtMicros, parts);
    }

    private static Duration duration(long micros) {
        return micros == NEVER_MICROS ? NEVER : Duration.of(micros, ChronoUnit.MICROS);
    }
}
