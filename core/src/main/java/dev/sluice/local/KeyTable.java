package dev.sluice.local;

import dev.sluice.algorithm.HeapSize;
import dev.sluice.algorithm.State;
import dev.sluice.spi.HashedKey;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one limiter: found without a lock, bounded in bytes, and dropped when their state equals a fresh one.
 *
 * <p><b>How is it designed, and why?</b> A hash table of our own, in shards, for three things that
 * {@code ConcurrentHashMap} does not do: it shrinks when keys go; an entry is one small object; and no chosen set of keys
 * can make it slow.
 *
 * <ul>
 *   <li>Dropping is safe while others use the key: the sweep locks the state for ever, which fails if anything changed
 *       since it was found fresh. A thread that has the entry already finds it locked, and looks the key up again.
 *   <li>A key is dropped one second after it could have been, and the limiter's clock is then never again read as
 *       earlier than that second. So the drop cannot be noticed, not even after the clock steps back.
 *   <li>The sweep runs on the callers' threads: a few dozen slots every millisecond while there is little to find, up to
 *       a thousand slots with every call while there is much.
 *   <li>A table of few keys is one shard, and one without keys none. Past a few thousand keys it is cut into several, so
 *       that threads that add keys do not wait for each other.
 *   <li>Entries ask the {@link MemoryBound} for their bytes. When there are none, unknown keys share a {@link
 *       SpareCounter}: the limit holds for all of them together. No key's count is ever dropped to make room, so a flood
 *       of keys cannot reset one.
 * </ul>
 */
final class KeyTable {
    /** The bits of a hash that choose the shard. */
    static final int SHARD_BITS = 8;

    private static final int MIN_SLOTS_PER_SWEEP = 64;
    private static final int MAX_SLOTS_PER_SWEEP = 1024;
    private static final long SWEEP_EVERY_MICROS = 1000;
    private static final long GRACE_MICROS = 1_000_000;
    private static final int KEYS_TO_CUT = 4096;
    private static final int KEYS_TO_JOIN = 512;
    private static final long SHARD_BYTES = HeapSize.object(4, 24) // and its lock, and its table
            + HeapSize.object(2, 8)
            + HeapSize.object(1, 12)
            + HeapSize.references(16);
    private static final AtomicLongFieldUpdater<KeyTable> NOT_BEFORE =
            AtomicLongFieldUpdater.newUpdater(KeyTable.class, "notBefore");

    /** An odd secret: multiplying by it spreads hash codes unpredictably. */
    private final long spread = ThreadLocalRandom.current().nextLong() | 1;

    private final Supplier<State> fresh;
    private final MemoryBound.Account memory;
    private final SpareCounter spare;
    private final ReentrantLock resizing = new ReentrantLock();

    /** A power of two of them; none before there is a key. */
    private volatile Shard[] shards = {};

    private volatile long sweepAt = Long.MIN_VALUE;
    private volatile long notBefore = Long.MIN_VALUE;
    private volatile int sweptShard;
    private volatile int slotsPerSweep = MIN_SLOTS_PER_SWEEP;

    /** In the place of the states of dropped entries, which decisions may refer to for long; null before the first. */
    private volatile @Nullable State droppedState;

    KeyTable(MemoryBound.Account memory, WaitQueues waiting, Supplier<State> fresh) {
        this.memory = memory;
        this.fresh = fresh;
        this.spare = new SpareCounter(this, memory, waiting);
    }

    /** The entry of {@code key}, made if there is none. */
    Entry entry(String fullKey) {
        Object key = HashedKey.of(fullKey);
        int hash = key.hashCode();
        Shard[] shards = this.shards;
        Entry entry = shards.length == 0 ? null : shard(shards, hash).find(key, hash);
        return entry != null ? entry : findOrAdd(key, hash);
    }

    /** The entry of {@code key} as a request would find it. It is not in the table if the request would make it. */
    Entry look(String fullKey) {
        Object key = HashedKey.of(fullKey);
        int hash = key.hashCode();
        Entry entry = findOr(key, hash, () -> null);
        if (entry == null) {
            memory.relieve(firstBytes(key)); // as the request would
            entry = findOr(key, hash, () -> preview(key, hash));
        }
        return entry != null ? entry : preview(key, hash);
    }

    /** The entry that counts for {@code key}: its own, or the shared one; null if there is neither. */
    @Nullable
    Entry find(String fullKey) {
        Object key = HashedKey.of(fullKey);
        return findOr(key, key.hashCode(), spare::openEntry);
    }

    /** The counters of {@code key} and of unknown keys that have begun with what was taken from {@code charged}. */
    List<Entry> laterThan(Entry charged, String fullKey) {
        return spare.laterThan(charged, () -> {
            Object key = HashedKey.of(fullKey);
            return findOr(key, key.hashCode(), () -> null);
        });
    }

    /** {@link #find} for a key that is reset. If it has no entry of its own, what keys have shared is forgotten. */
    @Nullable
    Entry findToReset(String fullKey) {
        Object key = HashedKey.of(fullKey);
        return findOr(key, key.hashCode(), spare::forgetRetired);
    }

    /**
     * The time to decide by when the clock says {@code clock}: never so early that a dropped key would not be fresh. Ask
     * after a key was looked up: a thread may read the clock and sleep while its key is dropped and added again, and must
     * not charge the new entry for a time before the drop.
     */
    long time(long clock) {
        return Math.max(clock, notBefore);
    }

    /** Drops a few keys if it is time to. Called before a key is looked up, or that key might go at once. */
    void sweepIfDue(long clock) {
        if (clock >= sweepAt) {
            sweep(clock);
        }
    }

    /** Visits every entry. An entry that is being added is visited too, or its state comes from {@code fresh} later on. */
    void forEach(Consumer<Entry> action) {
        resizing.lock();
        try {
            spare.forEach(action); // first, since entries that are made meanwhile begin with its state
            for (Shard shard : shards) {
                shard.forEach(action);
            }
        } finally {
            resizing.unlock();
        }
    }

    /** How many keys have an entry of their own. */
    int size() {
        return Arrays.stream(shards).mapToInt(Shard::size).sum();
    }

    /** The number of slots that the slowest look-up visits. */
    int longestProbe() {
        return Arrays.stream(shards).mapToInt(Shard::longestProbe).max().orElse(0);
    }

    // ---- Adding

    private Entry findOrAdd(Object key, int hash) {
        long bytes = firstBytes(key);
        memory.relieve(bytes);
        spare.retireAwaited(bytes);
        while (true) {
            Shard[] shards = this.shards;
            if (shards.length == 0) {
                if (bytes > memory.available() || !resize(0, 1)) {
                    Entry shared = spare.entry();
                    if (this.shards.length == 0) { // else another thread may have made an entry of this key
                        memory.countAtBound();
                        return shared;
                    }
                }
            } else {
                Shard shard = shard(shards, hash);
                Entry entry = shard.findOrAdd(key, hash);
                if (shards.length == 1 && shard.roughSize() > KEYS_TO_CUT) {
                    resize(1, Math.min(1 << SHARD_BITS, 4 * Runtime.getRuntime().availableProcessors()));
                }
                if (entry != null) {
                    return entry;
                }
            }
        }
    }

    /** The bytes that an unknown key needs for a counter of its own. */
    private long firstBytes(Object key) {
        return (shards.length == 0 ? SHARD_BYTES : 0) + Entry.bytes(key) + fresh().bytes();
    }

    /** Called by a shard that does not have the key, under its lock. */
    Entry addOrShare(Shard shard, Object key, int hash) {
        Entry entry = firstBytes(key) > memory.available() ? null : spare.firstEntry(key, hash);
        if (entry == null || !memory.tryReserve(Entry.bytes(key) + entry.state.bytes())) {
            memory.countAtBound();
            return spare.entry();
        }
        entry.state.growWithin(memory);
        shard.add(entry);
        return entry;
    }

    private Entry preview(Object key, int hash) {
        long needed = firstBytes(key);
        State first = needed > memory.available() ? null : spare.firstStateForALook(needed);
        if (first == null) {
            return spare.look();
        }
        long table = shards.length == 0 ? SHARD_BYTES : 0;
        long bytes = table + Entry.bytes(key) + first.bytes() - spare.grownBytes();
        first.growWithin(memory.preview(bytes));
        return new Entry(key, hash, first) {
            @Override
            long unreserved() {
                return bytes;
            }
        };
    }

    private @Nullable Entry findOr(Object key, int hash, Supplier<@Nullable Entry> otherwise) {
        while (true) {
            Shard[] shards = this.shards;
            if (shards.length == 0) {
                return otherwise.get();
            }
            Shard shard = shard(shards, hash);
            Entry entry = shard.find(key, hash);
            if (entry == null) {
                entry = shard.findOr(key, hash, otherwise);
            }
            if (entry != null || !shard.isClosed()) {
                return entry;
            }
        }
    }

    private Shard shard(Shard[] shards, int hash) {
        return shards[(int) ((hash * spread) >>> (64 - SHARD_BITS)) & (shards.length - 1)];
    }

    State fresh() {
        return fresh.get();
    }

    // ---- Dropping

    /** Drops a fresh state, after noting it; fails if the state changed, or has a wait queue. */
    boolean dropIfFresh(State state, long instant) {
        long stamp = state.stamp();
        if (State.isAwaited(stamp) || state.droppableAt(instant) > instant) {
            return false;
        }
        noteDrop(instant);
        return state.drop(stamp);
    }

    /** Notes that a key is about to be dropped that was fresh at {@code instant}. */
    void noteDrop(long instant) {
        NOT_BEFORE.getAndAccumulate(this, instant, Math::max);
    }

    /** Gives back the memory of an entry that was dropped, and lets go of its state. */
    void dropped(Entry entry) {
        memory.release(Entry.bytes(entry.key) + entry.state.bytes());
        entry.state = droppedState();
    }

    /** A state that was dropped. It stands for all others: whoever finds it looks the key up again. */
    State droppedState() {
        State dropped = droppedState;
        if (dropped == null) {
            dropped = fresh();
            dropped.drop(dropped.stamp());
            droppedState = dropped;
        }
        return dropped;
    }

    /** Drops every key that nobody waits for, whatever it has used. */
    void clear() {
        resizing.lock();
        try {
            spare.clear();
            for (Shard shard : shards) {
                shard.clear();
            }
        } finally {
            resizing.unlock();
        }
    }

    /** {@link #clear}; keys may be added at times before those that were dropped. */
    void restart() {
        clear();
        notBefore = Long.MIN_VALUE;
        sweepAt = Long.MIN_VALUE;
    }

    private void sweep(long now) {
        sweepAt = now + SWEEP_EVERY_MICROS;
        Shard[] shards = this.shards;
        spare.sweep(now - GRACE_MICROS);
        if (shards.length == 0) {
            return;
        }
        int at = sweptShard & (shards.length - 1);
        Shard shard = shards[at];
        boolean swept = false;
        if (shard.tryLock()) {
            try {
                boolean more = shard.sweep(slotsPerSweep, now - GRACE_MICROS);
                slotsPerSweep = more ? Math.min(MAX_SLOTS_PER_SWEEP, 2 * slotsPerSweep) : MIN_SLOTS_PER_SWEEP;
                sweepAt = more ? now : sweepAt;
                swept = shard.isSwept();
            } finally {
                shard.unlock();
            }
        }
        if (swept) {
            sweptShard = at + 1;
            if (at + 1 == shards.length && at > 0 && size() < KEYS_TO_JOIN) {
                resize(shards.length, 1);
            }
        }
    }

    // ---- Cutting and joining shards

    /**
     * Moves the entries from {@code from} shards to {@code count}, or a power of two above, unless another thread does;
     * false if there is no memory for that.
     */
    private boolean resize(int from, int count) {
        if (!resizing.tryLock()) {
            return true;
        }
        try {
            Shard[] before = shards;
            if (before.length == from) {
                Shard[] after = new Shard[Integer.highestOneBit(2 * count - 1)];
                if (!memory.tryReserve(SHARD_BYTES * (after.length - before.length))) {
                    return false;
                }
                Arrays.setAll(after, i -> new Shard(this, spread));
                move(before, 0, after);
            }
            return true;
        } finally {
            resizing.unlock();
        }
    }

    /** Locks the shards from {@code next} on, one inside the other, and then moves all entries. */
    private void move(Shard[] before, int next, Shard[] after) {
        if (next == before.length) {
            for (Shard shard : before) {
                shard.forEach(entry -> shard(after, entry.hash).add(entry));
                shard.close();
            }
            shards = after;
            return;
        }
        before[next].lock();
        try {
            move(before, next + 1, after);
        } finally {
            before[next].unlock();
        }
    }
}
