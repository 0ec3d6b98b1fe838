package dev.sluice.local;

import dev.sluice.algorithm.State;

/** A key and its state. Only a thread that has locked the state may replace it, and then leaves the old one locked. */
class Entry {
    final Object key;
    final int hash;
    volatile State state;

    Entry(Object key, int hash, State state) {
        this.key = key;
        this.hash = hash;
        this.state = state;
    }

    /** A copy of the state, taken while nobody changed it. */
    State snapshot() {
        for (int tries = 0; ; tries++) {
            State state = this.state;
            long stamp = state.stamp();
            State copy = state.copy();
            if (!State.isLocked(stamp) && state.unchangedSince(stamp)) {
                return copy;
            }
            LimiterCore.relax(tries);
        }
    }
}
