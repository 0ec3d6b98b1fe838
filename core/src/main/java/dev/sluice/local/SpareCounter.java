package dev.sluice.local;

import dev.sluice.algorithm.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
 *   no memory           memory                  no memory              memory
 *   [ open 1 ]  retire-> [ retired 1 ] successor-> [ open 2 ]   retire-> [ retired 2 ] ...
 *                            '-- first states of keys                        '-- first states of keys
 * </pre>
 *
 * <p>Only the last one that has retired gets new successors; those before it are known to those alone who hold permits of
 * them. A successor takes as much memory as a fresh state. The shared counters are numbered, so that an entry knows whose
 * use it began with: permits that are refunded to a shared counter are refunded to its successors too.
 *
 * <p>Whoever waits for a counter that retires goes on waiting by its own key. That takes memory for each of them, so a
 * counter that is waited for retires when there is so much: else one key's worth of memory after the other would send
 * everybody from queue to queue.
 */
final class SpareCounter {
    /** An entry of no key. What it takes to begin with is not counted, or there might be no memory for the first key. */
    private static class Uncounted extends Entry {
        private final long uncounted;
        /** The first shared counter of those whose use this one began with; itself, if there are none. */
        final long first;

        final long number;

        Uncounted(long first, long number, State state) {
            super("", 0, state);
            this.first = first;
            this.number = number;
            this.uncounted = state.bytes();
        }

        @Override
        boolean beganWith(long shared) {
            return first <= shared && shared < number;
        }

        /** The bytes by which its states have grown. */
        long bytes() {
            return state.bytes() - uncounted;
        }
    }

    /** The shared entry; when it has retired, its state has moved to another. */
    private final class Shared extends Uncounted {
        private volatile @Nullable Uncounted retired;

        Shared(long first, long number, State state) {
            super(first, number, state);
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

    /** The entry of a key that began with the use of shared counters. */
    private static final class Successor extends Entry {
        private final long first;
        private final long last;

        Successor(Object key, int hash, State state, long first, long last) {
            super(key, hash, state);
            this.first = first;
            this.last = last;
        }

        @Override
        boolean beganWith(long shared) {
            return first <= shared && shared <= last;
        }
    }

    private final KeyTable keys;
    private final MemoryBound.Account memory;
    private final WaitQueues waiting;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Shared open;
    private volatile @Nullable Uncounted retired;
    private long numbers;

    SpareCounter(KeyTable keys, MemoryBound.Account memory, WaitQueues waiting) {
        this.keys = keys;
        this.memory = memory;
        this.waiting = waiting;
    }

    /** The entry that unknown keys share. */
    Entry entry() {
        lock.lock();
        try {
            Shared entry = open;
            if (entry == null) {
                Uncounted before = retired;
                long number = ++numbers;
                entry = new Shared(before == null ? number : before.first, number, firstState(before));
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
        lock.lock();
        try {
            Entry entry = open;
            if (entry == null) {
                entry = new Entry("", 0, firstState(retired));
                entry.state.growWithin(memory);
            }
            return entry;
        } finally {
            lock.unlock();
        }
    }

    // ---- Entries of keys, after it

    /** The entry of a key that gets a counter of its own; null if it must share, because the open one is waited for. */
    @Nullable
    Entry firstEntry(Object key, int hash) {
        if (open == null && retired == null) {
            return new Entry(key, hash, keys.fresh());
        }
        lock.lock();
        try {
            Shared entry = open;
            if (entry != null) {
                if (!entry.dropUnawaited()) {
                    return null;
                }
                retire(entry);
            }
            Uncounted before = retired;
            State first = firstState(before);
            return before == null
                    ? new Entry(key, hash, first)
                    : new Successor(key, hash, first, before.first, before.number);
        } finally {
            lock.unlock();
        }
    }

    private State firstState(@Nullable Uncounted before) {
        return before == null ? keys.fresh() : before.readState(State::successor);
    }

    /** The bytes that come back when the shared counter retires. */
    long grownBytes() {
        Shared entry = open;
        return entry == null ? 0 : entry.bytes();
    }

    /** The state that a key would begin with if it had {@code bytes}; null if it would have to share. */
    @Nullable
    State firstStateForALook(long bytes) {
        lock.lock();
        try {
            Shared entry = open;
            if (entry == null) {
                return firstState(retired);
            }
            return State.isAwaited(entry.state.stamp()) && !isRoomForAll(entry, bytes)
                    ? null
                    : entry.snapshot().retired().successor();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The counters that have begun with what was taken from {@code charged}, if that is a shared one: {@code own}, the
     * entry of the key, if it has one, and those from which other keys will begin.
     */
    List<Entry> laterThan(Entry charged, Supplier<@Nullable Entry> own) {
        if (!(charged instanceof Shared shared)) {
            return List.of();
        }
        Entry ofKey = own.get();
        List<Entry> later = new ArrayList<>();
        lock.lock();
        try {
            for (Entry entry : Arrays.asList(retired, open, ofKey)) {
                if (entry != null && entry.beganWith(shared.number)) {
                    later.add(entry);
                }
            }
        } finally {
            lock.unlock();
        }
        return later;
    }

    // ---- Retiring

    /** Makes a shared counter retire that is waited for, if there are {@code bytes} for each who waits and one more. */
    void retireAwaited(long bytes) {
        Shared entry = open;
        if (entry != null && State.isAwaited(entry.state.stamp()) && isRoomForAll(entry, bytes)) {
            waiting.moveFrom(entry, () -> dropAndRetire(entry));
        }
    }

    private boolean isRoomForAll(Entry entry, long bytes) {
        return memory.available() / bytes > waiting.roughSize(entry);
    }

    /** Runs under the lock of the wait queue, which is empty then; false if the counter is no longer open. */
    private boolean dropAndRetire(Shared entry) {
        lock.lock();
        try {
            if (open != entry) {
                return false;
            }
            entry.drop();
            retire(entry);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Makes the shared counter, whose state was dropped, take nothing any more. */
    private void retire(Shared entry) {
        Uncounted next = new Uncounted(entry.first, entry.number, entry.state.retired());
        memory.release(entry.bytes());
        setRetired(next);
        entry.retired = next;
        entry.state = keys.droppedState();
        open = null;
    }

    // ---- Forgetting

    /** Forgets counters that are fresh at {@code instant}. */
    void sweep(long instant) {
        if (open == null && retired == null) {
            return;
        }
        lock.lock();
        try {
            Shared entry = open;
            if (entry != null && keys.dropIfFresh(entry.state, instant)) {
                forget(entry);
            }
            Entry before = retired;
            if (before != null && isFresh(before.state, instant)) {
                keys.noteDrop(instant);
                setRetired(null);
            }
        } finally {
            lock.unlock();
        }
    }

    private static boolean isFresh(State state, long instant) {
        return Math.max(state.freshAt(instant), state.latest()) <= instant;
    }

    /** Forgets everything, except what is waited for. */
    void clear() {
        lock.lock();
        try {
            setRetired(null);
            Shared entry = open;
            if (entry != null && entry.dropUnawaited()) {
                forget(entry);
            }
        } finally {
            lock.unlock();
        }
    }

    private void forget(Shared dropped) {
        memory.release(dropped.bytes());
        dropped.state = keys.droppedState();
        open = null;
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
