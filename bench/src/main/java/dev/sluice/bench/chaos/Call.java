package dev.sluice.bench.chaos;

import dev.sluice.Decision;

/**
 * One call and its answer.
 *
 * @param key which of the keys with a limit that is reached, or {@link #FRESH}
 */
record Call(long beganNanos, long endedNanos, int key, Answer answer) {
    /** A key of which this is the first call: it is allowed, except by the policy that denies. */
    static final int FRESH = -1;

    enum Answer {
        /** Redis took the permit. */
        GRANTED_BY_REDIS,
        /** It was allowed without Redis. */
        GRANTED_BY_POLICY,
        DENIED,
        THROWN
    }

    static Answer answer(Decision decision) {
        if (!decision.allowed()) {
            return Answer.DENIED;
        }
        return decision.source() == Decision.Source.REDIS ? Answer.GRANTED_BY_REDIS : Answer.GRANTED_BY_POLICY;
    }

    long nanos() {
        return endedNanos - beganNanos;
    }

    boolean isFresh() {
        return key == FRESH;
    }
}
