package dev.sluice.spi;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A decision with what its store needs to take it back.
 *
 * @param charged the permits that were charged in one step, of which these are all or some
 * @param takenAtMicros when the permits were taken, on the store's clock
 * @param mark what the state of a limit says about these permits, so that it can tell later how many of them time has
 *     regained; 0 for a decision on several limits, whose {@code parts} have one each
 * @param limitId which limit was charged, of all that the limiter has had: permits are given back to the same only; null
 *     if none was, and for a decision on several limits, whose {@code parts} have one each
 * @param counter the counter of the key that was charged, where the store knows it by reference
 * @param parts of several limits: the decision of each; of one, nothing
 */
public record LimiterDecision(
        Outcome outcome,
        long permits,
        long limit,
        long remaining,
        long retryAfterMicros,
        long resetAfterMicros,
        long delayMicros,
        Source source,
        long charged,
        long takenAtMicros,
        long mark,
        @Nullable Object limitId,
        @Nullable Object counter,
        List<LimiterDecision> parts)
        implements Decision {

    /** A request that may go ahead, after {@code delayMicros}. */
    public static LimiterDecision allowed(
            long permits,
            long limit,
            long remaining,
            long resetAfterMicros,
            long delayMicros,
            long takenAtMicros,
            long mark,
            @Nullable Object limitId,
            @Nullable Object counter) {
        return new LimiterDecision(
                Outcome.ALLOWED,
                permits,
                limit,
                remaining,
                0,
                resetAfterMicros,
                delayMicros,
                Source.LOCAL,
                permits,
                takenAtMicros,
                mark,
                limitId,
                counter,
                List.of());
    }

    /** A request that may go ahead, and for which nothing was taken. */
    public static LimiterDecision allowed(long permits, long limit, long remaining, long resetAfterMicros) {
        return allowed(permits, limit, remaining, resetAfterMicros, 0, 0, 0, null, null);
    }

    /** A request that may not go ahead; {@code outcome} says why. */
    public static LimiterDecision denied(
            Outcome outcome, long permits, long limit, long remaining, long retryAfterMicros, long resetAfterMicros) {
        return new LimiterDecision(
                outcome,
                permits,
                limit,
                remaining,
                retryAfterMicros,
                resetAfterMicros,
                0,
                Source.LOCAL,
                0,
                0,
                0,
                null,
                null,
                List.of());
    }

    /** A decision that a limiter made. */
    public static LimiterDecision of(Decision decision) {
        if (decision instanceof LimiterDecision made) {
            return made;
        }
        throw new IllegalArgumentException("not a decision that a limiter made: " + decision);
    }

    @Override
    @SuppressWarnings("unchecked") // a list that nobody changes
    public List<Decision> perLimit() {
        return parts.isEmpty() ? List.of(this) : (List<Decision>) (List<? extends Decision>) parts;
    }

    /** The decision of a limit; null if it is not among those that were charged. */
    public @Nullable LimiterDecision chargedTo(Object limitId) {
        if (parts.isEmpty()) {
            return limitId.equals(this.limitId) ? this : null;
        }
        for (LimiterDecision part : parts) {
            if (limitId.equals(part.limitId)) {
                return part;
            }
        }
        return null;
    }

    /** A decision on {@code permits} of those that this one took, which leaves {@code remaining}. */
    public LimiterDecision ofPermits(long permits, long remaining) {
        return with(
                outcome, permits, limit, remaining, 0, source, each(part -> part.ofPermits(permits, part.remaining)));
    }

    /** The same as a peek gives it: nothing was taken. */
    public LimiterDecision untaken() {
        return denied(outcome, permits, limit, remaining, retryAfterMicros, resetAfterMicros)
                .with(outcome, permits, limit, remaining, delayMicros, source, each(LimiterDecision::untaken));
    }

    /** The same decision with those of each limit. */
    public LimiterDecision withParts(List<LimiterDecision> parts) {
        return with(outcome, permits, limit, remaining, delayMicros, source, List.copyOf(parts));
    }

    /** The same decision, made by another. */
    public LimiterDecision withSource(Source source) {
        return with(outcome, permits, limit, remaining, delayMicros, source, each(part -> part.withSource(source)));
    }

    /** The same decision, where the limit is another and leaves {@code remaining}. */
    public LimiterDecision withRemaining(long limit, long remaining) {
        return with(outcome, permits, limit, remaining, delayMicros, source, parts);
    }

    /** The same as a shadow limiter gives it: nothing is denied, and nothing delayed. */
    public LimiterDecision asShadow() {
        return with(allowed() ? outcome : Outcome.SHADOWED, permits, limit, remaining, 0, source, parts);
    }

    /** The same once the delay is over. */
    public LimiterDecision undelayed() {
        return afterDelay(delayMicros);
    }

    /** The same once so much of the delay is over. */
    public LimiterDecision afterDelay(long micros) {
        return with(outcome, permits, limit, remaining, Math.max(0, delayMicros - micros), source, parts);
    }

    /** The same decision on a request for {@code permits}. */
    public LimiterDecision withPermits(long permits) {
        return with(outcome, permits, limit, remaining, delayMicros, source, each(part -> part.withPermits(permits)));
    }

    private List<LimiterDecision> each(UnaryOperator<LimiterDecision> change) {
        return parts.isEmpty() ? parts : parts.stream().map(change).toList();
    }

    /** The one copy: what was charged, and how long it takes to come back, stay as they are. */
    private LimiterDecision with(
            Outcome outcome,
            long permits,
            long limit,
            long remaining,
            long delayMicros,
            Source source,
            List<LimiterDecision> parts) {
        return new LimiterDecision(
                outcome,
                permits,
                limit,
                remaining,
                retryAfterMicros,
                resetAfterMicros,
                delayMicros,
                source,
                charged,
                takenAtMicros,
                mark,
                limitId,
                counter,
                parts);
    }
}
