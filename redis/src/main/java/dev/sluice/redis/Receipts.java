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

    /** Whether it was taken from Redis. */
    static boolean isTaken(Decision decision) {
        return decision.takenAtMicros() >= FIRST_OF_REDIS;
    }

    /** Whether it was taken in this process while Redis did not answer. */
    static boolean isLocal(Decision decision) {
        return decision.takenAtMicros() != NOTHING_TAKEN && !isTaken(decision);
    }

    /** A decision made in this process, told apart from those of Redis. */
    static Decision ofLocal(Decision local) {
        return local.allowed() ? at(local, LOCAL + local.takenAtMicros()) : local;
    }

    /** The decision as it was made in this process. */
    static Decision local(Decision marked) {
        return at(marked, marked.takenAtMicros() - LOCAL);
    }

    private static Decision at(Decision decision, long takenAtMicros) {
        return Decision.allowed(
                        decision.permits(),
                        decision.limit(),
                        decision.remaining(),
                        decision.resetAfterMicros(),
                        decision.delayMicros(),
                        takenAtMicros)
                .withParts(decision.parts());
    }
}
