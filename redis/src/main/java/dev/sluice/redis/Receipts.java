package dev.sluice.redis;

import dev.sluice.Decision;

/**
 * Where what a decision took was taken from, told by its instant: in Redis time is counted from 1970, so what is below
 * zero was not taken there.
 */
final class Receipts {
    static final long NOTHING_TAKEN = Long.MIN_VALUE;

    private Receipts() {}

    /** Whether it was taken from Redis. */
    static boolean isTaken(Decision decision) {
        return decision.takenAtMicros() >= 0;
    }

    /** Whether it was taken in this process while Redis did not answer. */
    static boolean isLocal(Decision decision) {
        return decision.takenAtMicros() < 0 && decision.takenAtMicros() != NOTHING_TAKEN;
    }

    /** A decision made in this process, told apart from those of Redis. */
    static Decision ofLocal(Decision local) {
        return local.allowed() ? at(local, -local.takenAtMicros() - 1) : local;
    }

    /** The decision as it was made in this process. */
    static Decision local(Decision marked) {
        return at(marked, -marked.takenAtMicros() - 1);
    }

    private static Decision at(Decision decision, long takenAtMicros) {
        return Decision.allowed(
                decision.permits(),
                decision.limit(),
                decision.remaining(),
                decision.resetAfterMicros(),
                decision.delayMicros(),
                takenAtMicros);
    }
}
