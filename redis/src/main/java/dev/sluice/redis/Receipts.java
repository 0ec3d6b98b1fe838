package dev.sluice.redis;

import dev.sluice.Decision;

/**
 * Where what a decision took was taken from, told by its instant: what was taken in this process is dated so far back that
 * no clock says so.
 */
final class Receipts {
    static final long NOTHING_TAKEN = Long.MIN_VALUE;

    private static final long LOCAL = -(1L << 62);
    private static final long FIRST_OF_REDIS = LOCAL / 2;

    private Receipts() {}

    /** Whether Redis made the decision, or others did in its place. */
    static boolean isOfRedis(Decision decision) {
        return decision.takenAtMicros() >= FIRST_OF_REDIS;
    }

    /** Whether it was taken in this process while Redis did not answer. */
    static boolean isLocal(Decision decision) {
        return decision.takenAtMicros() != NOTHING_TAKEN && !isOfRedis(decision);
    }

    /** A decision made in this process, told apart from those of Redis. */
    static Decision ofLocal(Decision local) {
        return at(local, local.allowed() ? LOCAL + local.takenAtMicros() : NOTHING_TAKEN);
    }

    /** A decision that took nothing, told apart from those of Redis. */
    static Decision ofNobody(Decision decision) {
        return at(decision, NOTHING_TAKEN);
    }

    /** The decision as it was made in this process. */
    static Decision local(Decision marked) {
        return at(marked, marked.takenAtMicros() - LOCAL);
    }

    private static Decision at(Decision decision, long takenAtMicros) {
        return new Decision(
                decision.outcome(),
                decision.permits(),
                decision.limit(),
                decision.remaining(),
                decision.retryAfterMicros(),
                decision.resetAfterMicros(),
                decision.delayMicros(),
                takenAtMicros,
                decision.source(),
                decision.parts());
    }
}
