package dev.sluice.contract;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import org.jspecify.annotations.Nullable;

/** What a call answered, as far as two limiters must agree on it: all of a decision but when it was taken. */
record Answer(
        @Nullable Outcome outcome,
        long permits,
        long limit,
        long remaining,
        long retryAfter,
        long resetAfter,
        long delay) {
    /** The answer of a call that has none. */
    static final Answer NONE = new Answer(null, 0, 0, 0, 0, 0, 0);

    static Answer of(Decision d) {
        return new Answer(
                d.outcome(),
                d.permits(),
                d.limit(),
                d.remaining(),
                d.retryAfterMicros(),
                d.resetAfterMicros(),
                d.delayMicros());
    }

    static Answer of(boolean acquired) {
        return new Answer(acquired ? Outcome.ALLOWED : Outcome.DENIED, 0, 0, 0, 0, 0, 0);
    }

    boolean allowed() {
        return outcome == Outcome.ALLOWED;
    }

    boolean denied() {
        return outcome == Outcome.DENIED || outcome == Outcome.NEVER;
    }

    @Override
    public String toString() {
        return outcome == null
                ? "-"
                : "%s limit=%d remaining=%d retryAfter=%s resetAfter=%s delay=%d"
                        .formatted(outcome, limit, remaining, micros(retryAfter), micros(resetAfter), delay);
    }

    private static String micros(long micros) {
        return micros == Decision.NEVER_MICROS ? "never" : Long.toString(micros);
    }
}
