package dev.sluice.local;

import dev.sluice.algorithm.State;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The keys of one limiter: found without a lock, bounded in number, and dropped when their state equals a fresh one.
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
 *   <li>The sweep runs on the callers' threads, a few dozen slots at a time: every millisecond while there is little to find,
 *       with every call while there is much.
 *   <li>When a shard is full, its unknown keys share one spare entry: the limit holds for all of them together. No
 *       key's count is ever dropped to make room, so a flood of keys cannot reset one. While the spare entry is in use,
 *       a key that gets an entry of its own starts from the spare's state; while permits of it are held, none does.
 * </ul>
 */
final class KeyTable {
    private static final int SLOTS_PER_SWEEP = 64;
    private static final long SWEEP_EVERY_MICROS = 1000;
    private static final long GRACE_MICROS = 1_000_000;
    private static final AtomicLongFieldUpdater<KeyTable> NOT_BEFORE =
            AtomicLongFieldUpdater.newUpdater(KeyTable.class, "notBefore");

    private final Shard[] shards;
    private final int shardBits;
    /** An odd secret: multiplying by it spreads hash codes unpredictably. */
    private final long spread = ThreadLocalRandom.current().nextLong() | 1;

    private volatile long sweepAt = Long.MIN_VALUE;
    private volatile long notBefore = Long.MIN_VALUE;
    private volatile int sweptShard;

    KeyTable(int maxKeys, Supplier<State> fresh) {
        int wanted = maxKeys < 4096 ? 1 : Math.min(256, 4 * Runtime.getRuntime().availableProcessors());
        this.shardBits = 32 - Integer.numberOfLeadingZeros(wanted - 1);
        this.shards = new Shard[1 << shardBits];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new Shard(spread, shardBits, Math.max(1, maxKeys >> shardBits), fresh, this::dropping);
        }
    }

    /** The entry of {@code key}, made if there is none. */
    Entry entry(String fullKey) {
        Object key = HashedKey.of(fullKey);
        int hash = key.hashCode();
        Shard shard = shards[(int) ((hash * spread) >>> 1 >>> (63 - shardBits))];
        Entry entry = shard.find(key, hash);
        return entry != null ? entry : shard.findOrAdd(key, hash);
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
        for (Shard shard : shards) {
            shard.forEach(action);
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

    /** Notes that a key is about to be dropped that was fresh at {@code instant}. */
    private void dropping(long instant) {
        NOT_BEFORE.getAndAccumulate(this, instant, Math::max);
    }

    private void sweep(long now) {
        sweepAt = now + SWEEP_EVERY_MICROS;
        Shard shard = shards[sweptShard];
        if (shard.tryLock()) {
            try {
                if (shard.sweep(SLOTS_PER_SWEEP, now - GRACE_MICROS)) {
                    sweepAt = now;
                }
                if (shard.isSwept()) {
                    sweptShard = (sweptShard + 1) & (shards.length - 1);
                }
            } finally {
                shard.unlock();
            }
        }
    }
}
