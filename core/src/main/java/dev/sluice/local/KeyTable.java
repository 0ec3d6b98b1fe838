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
 * <p><b>How is it designed, and why?</b> A hash table of our own, in shards, because a limiter needs three things of it
 * that {@code ConcurrentHashMap} does not do: it gives memory back when keys go; an entry is one small object; and no
 * chosen set of keys can make it slow.
 *
 * <ul>
 *   <li>Dropping is safe while others use the key: the sweeper takes hold of the state, which fails if anything changed
 *       since it was found fresh, and never lets go. Who had found the entry before finds it held, and looks again.
 *   <li>A key is dropped one second after it could have been, and the limiter's clock is then never again read as
 *       earlier than that second. So not even a clock that steps back can tell that the key was gone.
 *   <li>The sweep runs on callers' time, a few dozen slots at a time: every millisecond while there is little to find,
 *       with every call while there is much.
 *   <li>Past the most keys, unseen keys of a shard share one spare entry: the limit holds for all of them together.
 *       Nobody's count is ever dropped to make room, so nobody can flood it out. While the spare entry is in use, a key
 *       that gets an entry of its own begins with what the spare has used; while permits of it are held, none does.
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
    /** Odd, and known to nobody: a multiplication that spreads hash codes in a way that cannot be foreseen. */
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
     * The time to go by when the clock says {@code clock}: never so early that a dropped key would not be fresh. Asked
     * after a key was looked up: whoever read the clock, fell asleep, and finds the key dropped and made anew must not
     * charge it for a time that it has forgotten.
     */
    long time(long clock) {
        return Math.max(clock, notBefore);
    }

    /** Drops a few keys if it is time to. Called before a key is looked up, or it might go at once. */
    void sweepIfDue(long clock) {
        if (clock >= sweepAt) {
            sweep(clock);
        }
    }

    /** Every entry; one that is being added is seen here, or is made by what {@code fresh} supplies from now on. */
    void forEach(Consumer<Entry> action) {
        for (Shard shard : shards) {
            shard.forEach(action);
        }
    }

    /** How many keys have an entry of their own. */
    int size() {
        return Arrays.stream(shards).mapToInt(Shard::size).sum();
    }

    /** The most slots that finding one of the keys looks at. */
    int longestProbe() {
        return Arrays.stream(shards).mapToInt(Shard::longestProbe).max().orElse(0);
    }

    /** A key is about to go that was fresh at {@code instant}. */
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
