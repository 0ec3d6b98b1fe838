package dev.sluice.spi;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A decision with what its store needs to take it back.
 *
 * @param takenAtMicros when the permits were taken, on the store's clock
 * @param mark what the state of a limit says about these permits, so that it can tell later how many of them time has
 *     regained; 0 for a decision on several limits, whose {@code parts} have one each
 * @param takenFrom the counter that was charged, where the store knows it by reference
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
        long takenAtMicros,
        long mark,
        @Nullable Object takenFrom,
        List<LimiterDecision> parts)
        implements Decision {

    /** A request that may go ahead, after {@code delayMicros}; the store finds the counter by the key. */
    public static LimiterDecision allowed(
            long permits,
            long limit,
            long remaining,
            long resetAfterMicros,
            long delayMicros,
            long takenAtMicros,
            long mark) {
        return allowed(permits, limit, remaining, resetAfterMicros, delayMicros, takenAtMicros, mark, null);
    }

    /** A request that may go ahead, after {@code delayMicros}. */
    public static LimiterDecision allowed(
            long permits,
            long limit,
            long remaining,
            long resetAfterMicros,
            long delayMicros,
            long takenAtMicros,
            long mark,
            @Nullable Object takenFrom) {
        return new LimiterDecision(
                Outcome.ALLOWED,
                permits,
                limit,
                remaining,
                0,
                resetAfterMicros,
                delayMicros,
                Source.LOCAL,
                takenAtMicros,
                mark,
                takenFrom,
                List.of());
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

    /** The decision of one limit. */
    public LimiterDecision part(int limit) {
        return parts.isEmpty() ? this : parts.get(limit);
    }

    /** The same decision with those of each limit. */
    public LimiterDecision withParts(List<LimiterDecision> parts) {
        return with(outcome, limit, remaining, delayMicros, source, takenFrom, List.copyOf(parts));
    }

    /** The same decision, made by another. */
    public LimiterDecision withSource(Source source) {
        return with(
                outcome,
                limit,
                remaining,
                delayMicros,
                source,
                takenFrom,
                parts.isEmpty()
                        ? parts
                        : parts.stream().map(part -> part.withSource(source)).toList());
    }

    /** The same decision on permits of this counter. */
    public LimiterDecision takenFrom(Object counter) {
        return with(outcome, limit, remaining, delayMicros, source, counter, parts);
    }

    /** The same decision, where the limit is another and leaves {@code remaining}. */
    public LimiterDecision withRemaining(long limit, long remaining) {
        return with(outcome, limit, remaining, delayMicros, source, takenFrom, parts);
    }

    /** The same as a shadow limiter gives it: nothing is denied, and nothing delayed. */
    public LimiterDecision asShadow() {
        return with(allowed() ? outcome : Outcome.SHADOWED, limit, remaining, 0, source, takenFrom, parts);
    }

    /** The same once the delay is over. */
    public LimiterDecision undelayed() {
        return with(outcome, limit, remaining, 0, source, takenFrom, parts);
    }

    private LimiterDecision with(
            Outcome outcome,
            long limit,
            long remaining,
            long delayMicros,
            Source source,
            @Nullable Object takenFrom,
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
                takenAtMicros,
                mark,
                takenFrom,
                parts);
    }
}
