package dev.sluice;

import dev.sluice.algorithm.State;

/** One key and its state. Only who holds the state may put another in its place, and then leaves the old one held. */
class Cell {
    final Object key;
    final int hash;
    volatile State state;

    Cell(Object key, int hash, State state) {
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
            if (!State.isHeld(stamp) && state.unchangedSince(stamp)) {
                return copy;
            }
            Engine.relax(tries);
        }
    }
}
