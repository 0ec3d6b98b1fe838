package dev.sluice.local;

import dev.sluice.algorithm.HeapSize;
import dev.sluice.algorithm.State;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** A key and its state. Only a thread that has locked the state may replace it, and then leaves the old one locked. */
class Entry {
    /** The slots of the table for one key, right after the table has grown. */
    private static final int SLOTS = 3;
    /** The digest of a long key. */
    private static final long DIGEST_BYTES = HeapSize.object(0, 32);

    final Object key;
    final int hash;
    volatile State state;

    Entry(Object key, int hash, State state) {
        this.key = key;
        this.hash = hash;
        this.state = state;
    }

    /** What the state says while nobody changes it; of an entry that was dropped, what it said last. */
    long read(ToLongFunction<State> question) {
        for (int tries = 0; ; tries++) {
            State state = this.state;
            long stamp = state.stamp();
            long answer = question.applyAsLong(state);
            if (State.isDropped(stamp) || (!State.isLocked(stamp) && state.unchangedSince(stamp))) {
                return answer;
            }
            LimiterCore.relax(tries);
        }
    }

    /** A copy of the state, taken while nobody changed it. */
    State snapshot() {
        return readState(State::copy);
    }

    /** What {@code copy} makes of the state, while nobody changes it. */
    State readState(UnaryOperator<State> copy) {
        for (int tries = 0; ; tries++) {
            State state = this.state;
            long stamp = state.stamp();
            State made = copy.apply(state);
            if (State.isDropped(stamp) || (!State.isLocked(stamp) && state.unchangedSince(stamp))) {
                return made;
            }
            LimiterCore.relax(tries);
        }
    }

    /** Drops the state for good: calls that have it look their key up again. */
    void drop() {
        for (int tries = 0; ; tries++) {
            State state = this.state; // a reset puts another in its place
            if (state.drop(state.stamp())) {
                return;
            }
            LimiterCore.relax(tries);
        }
    }

    /** {@link #drop}, unless somebody waits; false if so. */
    boolean dropUnawaited() {
        for (int tries = 0; ; tries++) {
            State state = this.state;
            long stamp = state.stamp();
            if (State.isAwaited(stamp)) {
                return false;
            }
            if (state.drop(stamp)) {
                return true;
            }
            LimiterCore.relax(tries);
        }
    }

    /** Puts another state in the place of this one's; false if it was dropped. */
    boolean replace(UnaryOperator<State> next) {
        for (int tries = 0; ; tries++) {
            State state = this.state;
            long stamp = state.stamp();
            if (State.isDropped(stamp)) {
                return false;
            }
            if (state.tryLock(stamp)) {
                State replacement;
                try {
                    replacement = next.apply(state);
                } catch (RuntimeException | Error e) {
                    state.unlock(stamp);
                    throw e;
                }
                if (State.isAwaited(stamp)) {
                    replacement.unlockAwaited(replacement.stamp());
                }
                this.state = replacement;
                return true;
            }
            LimiterCore.relax(tries);
        }
    }

    /** Whether it began with the use of the shared counter of that number. */
    boolean beganWith(long shared) {
        return false;
    }

    /** The entry that the permits taken from this one are given back to. */
    Entry current() {
        return this;
    }

    /** The bytes that are not reserved yet for this entry. */
    long unreserved() {
        return 0;
    }

    /** The bytes on the heap of an entry without its state. */
    static long bytes(Object key) {
        long keyBytes = key instanceof String string ? HeapSize.string(string) : DIGEST_BYTES;
        return HeapSize.object(2, 4) + keyBytes + HeapSize.references(SLOTS) - HeapSize.references(0);
    }

    /** Says nothing about the key: it may be a secret, and decisions have this in their text. */
    @Override
    public String toString() {
        return "Entry";
    }
}
