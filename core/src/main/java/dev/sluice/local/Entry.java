package dev.sluice.local;

import dev.sluice.algorithm.State;
import java.util.function.ToLongFunction;

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

    /** What the state says while nobody changes it. */
    long read(ToLongFunction<State> question) {
        for (int tries = 0; ; tries++) {
            State state = this.state;
            long stamp = state.stamp();
            long answer = question.applyAsLong(state);
            if (!State.isLocked(stamp) && state.unchangedSince(stamp)) {
                return answer;
            }
            LimiterCore.relax(tries);
        }
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
