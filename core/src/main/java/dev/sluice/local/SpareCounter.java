package dev.sluice.local;

import dev.sluice.algorithm.State;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The counter that the unknown keys of a limiter share while there is no memory for counters of their own.
 *
 * <p><b>How is it designed, and why?</b> A key that has used the shared counter must not have the limit once more in a
 * counter of its own, and which keys have used it is not known. So when there is memory again, the shared counter
 * <em>retires</em>: it takes nothing any more, and each key that gets a counter of its own begins as its successor, with
 * all that the shared one had spent. What is held of it counts for the successors until it is released, which the
 * decision makes possible: it has the entry that it was taken from. Calls that found the shared counter before it retired
 * find its state dropped, and look their key up again.
 *
 * <pre>
 *   no memory          memory                no memory            memory
 *   [ open ]  retire-> [ retired ] successor-> [ open ]   retire-> [ retired ]
 *                          '-- first states of keys                   '-- only if nothing is held of the one before,
 *                                                                         or of this one
 * </pre>
 *
 * <p>So there are at most two generations of which permits are held. While there are two, unknown keys go on sharing
 * the open one, and the first to end its holds makes room for the next. An open counter with a wait queue does not retire
 * either.
 */
final class SpareCounter {
    /** An entry of no key. What it takes to begin with is not counted, or there might be no memory for the first key. */
    private static class Uncounted extends Entry {
        private final long uncounted;

        Uncounted(State state) {
            super("", 0, state);
            this.uncounted = state.bytes();
        }

        /** The bytes by which its states have grown. */
        long bytes() {
            return state.bytes() - uncounted;
        }
    }

    /** The shared entry; when it has retired, its state has moved to another. */
    private final class Shared extends Uncounted {
        private volatile @Nullable Uncounted retired;

        Shared(State state) {
            super(state);
        }

        @Override
        Entry current() {
            Entry moved = retired;
            if (moved == null && State.isDropped(state.stamp())) {
                lock.lock(); // it may be about to move
                try {
                    moved = retired;
                } finally {
                    lock.unlock();
                }
            }
            return moved == null ? this : moved;
        }
    }

    private final KeyTable keys;
    private final MemoryBound.Account memory;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Shared open;
    private volatile @Nullable Uncounted retired;

    SpareCounter(KeyTable keys, MemoryBound.Account memory) {
        this.keys = keys;
        this.memory = memory;
    }

    /** The entry that unknown keys share. */
    Entry entry() {
        lock.lock();
        try {
            Shared entry = open;
            if (entry == null) {
                entry = new Shared(firstState());
                entry.state.growWithin(memory);
                open = entry;
            }
            return entry;
        } finally {
            lock.unlock();
        }
    }

    /** The shared entry, if keys share one now. */
    @Nullable
    Entry openEntry() {
        return open;
    }

    /** The shared entry as it stands, for a look; one that nobody else sees, if there is none. */
    Entry look() {
        Entry entry = open;
        if (entry == null) {
            entry = new Entry("", 0, firstState());
            entry.state.growWithin(memory);
        }
        return entry;
    }

    /** The state of a key that gets a counter of its own, after {@link #retire}. */
    State firstState() {
        Entry before = retired;
        return before == null ? keys.fresh() : before.readState(State::successor);
    }

    /** About the bytes of {@link #firstState}. */
    long firstBytes() {
        Entry before = open == null ? retired : open;
        return before == null ? keys.freshBytes() : before.state.bytes();
    }

    /** The bytes that come back when the shared counter retires. */
    long grownBytes() {
        Shared entry = open;
        return entry == null ? 0 : entry.bytes();
    }

    /** The state that a key would begin with; null if it would have to share. */
    @Nullable
    State firstStateForALook() {
        Shared entry = open;
        if (entry == null) {
            return firstState();
        }
        State state = entry.snapshot();
        return State.isAwaited(entry.state.stamp()) || state.isHeldTwice()
                ? null
                : state.retired().successor();
    }

    /** Makes the shared counter take nothing any more; false if it must go on. */
    boolean retire() {
        if (open == null) {
            return true;
        }
        lock.lock();
        try {
            Shared entry = open;
            if (entry == null) {
                return true;
            }
            if (!dropUnawaited(entry)) {
                return false;
            }
            Uncounted next = new Uncounted(entry.state.retired());
            memory.release(entry.bytes());
            setRetired(next);
            entry.retired = next;
            open = null;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Drops the state of a counter that can retire: calls that have it look their key up again. */
    private static boolean dropUnawaited(Entry entry) {
        for (int tries = 0; ; tries++) {
            State state = entry.state; // a reset puts another in its place
            long stamp = state.stamp();
            if (State.isAwaited(stamp) || state.isHeldTwice()) {
                return false;
            }
            if (state.drop(stamp)) {
                return true;
            }
            LimiterCore.relax(tries);
        }
    }

    /** Forgets counters that are fresh at {@code instant}. */
    void sweep(long instant) {
        if (open == null && retired == null) {
            return;
        }
        lock.lock();
        try {
            Shared entry = open;
            if (entry != null && keys.dropIfFresh(entry.state, instant)) {
                memory.release(entry.bytes());
                open = null;
            }
            Entry before = retired;
            if (before != null && before.state.freshAt(instant) <= instant) {
                keys.noteDrop(instant);
                setRetired(null);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets everything, except what is waited for. */
    void clear() {
        lock.lock();
        try {
            setRetired(null);
            if (open != null && dropUnawaited(open)) {
                memory.release(open.bytes());
                open = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Forgets the counter that has retired; what is held of it is released without effect. Returns the open one, if there
     * is one.
     */
    @Nullable
    Entry forgetRetired() {
        lock.lock();
        try {
            setRetired(null);
            return open;
        } finally {
            lock.unlock();
        }
    }

    void forEach(Consumer<Entry> action) {
        lock.lock();
        try {
            if (open != null) {
                action.accept(open);
            }
            if (retired != null) {
                action.accept(retired);
            }
        } finally {
            lock.unlock();
        }
    }

    private void setRetired(@Nullable Uncounted next) {
        Uncounted before = retired;
        if (before != null) {
            memory.release(before.bytes());
        }
        retired = next;
    }
}
