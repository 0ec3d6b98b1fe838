package dev.sluice.local;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A part of the keys: an open-addressed hash table that is searched without its lock and changed under it.
 *
 * <p>A search that finds an entry is right, whatever happens meanwhile: the stamp of a dropped entry says so. A search that
 * finds none may have run while entries were being moved, so it is repeated under the lock. That keeps removal simple:
 * entries behind a gap move up, and no tombstones are left.
 *
 * <p>Anybody can make strings whose hash codes collide. When a few keys of the same hash code have gathered, the shard
 * hashes the characters itself, by a polynomial whose variable is a secret: two keys then collide with a chance of one in
 * 2^50, however they were chosen.
 */
final class Shard extends ReentrantLock {
    private static final long serialVersionUID = 1;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Entry[].class);
    private static final int MIN_SLOTS = 16;
    private static final int MANY_OF_ONE_HASH = 8;
    /** 2^61 - 1, a prime. */
    private static final long PRIME = (1L << 61) - 1;

    private final transient KeyTable keys;
    private final transient long spread;
    private transient volatile Table table;
    private transient int size;
    private transient int cursor;
    private transient int droppedInPass;
    /** Whether the entries have moved to other shards. */
    private transient boolean closed;

    /** The slots, a power of two of them; with a secret, keys are hashed by it rather than by their hash code. */
    private static final class Table {
        final @Nullable Entry[] slots;
        final int shift;
        final long secret;

        Table(int size, long secret) {
            this.slots = new Entry[size];
            this.shift = Integer.numberOfLeadingZeros(size) + 33;
            this.secret = secret;
        }
    }

    Shard(KeyTable keys, long spread) {
        this.keys = keys;
        this.spread = spread;
        this.table = new Table(MIN_SLOTS, 0);
    }

    /** The entry of {@code key}, if it is found without the lock. */
    @Nullable
    Entry find(Object key, int hash) {
        Table table = this.table;
        @Nullable Entry[] slots = table.slots;
        int mask = slots.length - 1;
        int at = home(table, key, hash);
        for (int i = 0; i <= mask; i++) {
            Entry entry = (Entry) SLOT.getAcquire(slots, at);
            if (entry == null) {
                return null;
            }
            if (entry.hash == hash && (entry.key == key || entry.key.equals(key))) {
                return entry;
            }
            at = (at + 1) & mask;
        }
        return null;
    }

    /** The entry of {@code key}, made if there is none; the shared one if there is no memory; null in a closed shard. */
    @Nullable
    Entry findOrAdd(Object key, int hash) {
        lock();
        try {
            if (closed) {
                return null;
            }
            Entry found = find(key, hash);
            return found != null ? found : keys.addOrShare(this, key, hash);
        } finally {
            unlock();
        }
    }

    /** The entry of {@code key}, or what {@code otherwise} makes in its place; null in a closed shard. */
    @Nullable
    Entry findOr(Object key, int hash, Supplier<@Nullable Entry> otherwise) {
        lock();
        try {
            Entry found = find(key, hash);
            return found != null || closed ? found : otherwise.get();
        } finally {
            unlock();
        }
    }

    /** Adds an entry, under the lock. */
    void add(Entry entry) {
        if (table.secret == 0 && entriesOfHash(entry.key, entry.hash) >= MANY_OF_ONE_HASH) {
            rebuild(table.slots.length, ThreadLocalRandom.current().nextLong(1, PRIME));
        }
        if (3L * (size + 1) > 2L * table.slots.length) {
            rebuild(2 * table.slots.length, table.secret);
        }
        put(table, entry);
        size++;
    }

    /** Drops every entry that nobody waits for. */
    void clear() {
        lock();
        try {
            @Nullable Entry[] before = table.slots;
            table = new Table(MIN_SLOTS, 0);
            cursor = 0;
            size = 0;
            for (Entry entry : before) {
                if (entry != null) {
                    if (entry.dropUnawaited()) {
                        keys.dropped(entry);
                    } else {
                        add(entry);
                    }
                }
            }
        } finally {
            unlock();
        }
    }

    /** Ends the use of this shard, whose entries are elsewhere; under the lock. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Visits every entry. */
    void forEach(Consumer<Entry> action) {
        lock();
        try {
            for (Entry entry : table.slots) {
                if (entry != null) {
                    action.accept(entry);
                }
            }
        } finally {
            unlock();
        }
    }

    int size() {
        lock();
        try {
            return size;
        } finally {
            unlock();
        }
    }

    /** {@link #size} without the lock, so that it may be an old number. */
    int roughSize() {
        return size;
    }

    int longestProbe() {
        lock();
        try {
            @Nullable Entry[] slots = table.slots;
            int longest = 0;
            for (int at = 0; at < slots.length; at++) {
                Entry entry = slots[at];
                if (entry != null) {
                    longest = Math.max(longest, 1 + ((at - home(table, entry.key, entry.hash)) & (slots.length - 1)));
                }
            }
            return longest;
        } finally {
            unlock();
        }
    }

    // ---- Sweeping, under the lock

    /**
     * Drops entries that are fresh at {@code instant} from the next few slots; whether there is likely more to find. The
     * table shrinks only at the end of a pass, when the entries that are left are spread over all of it.
     */
    boolean sweep(int slotsToVisit, long instant) {
        @Nullable Entry[] slots = table.slots;
        int seen = 0;
        int dropped = 0;
        for (int i = 0; i < slotsToVisit && cursor < slots.length; i++) {
            Entry entry = slots[cursor];
            if (entry == null) {
                cursor++;
            } else if (keys.dropIfFresh(entry.state, instant)) {
                keys.dropped(entry);
                remove(cursor);
                dropped++;
            } else {
                seen++;
                cursor++;
            }
        }
        size -= dropped;
        droppedInPass += dropped;
        if (cursor < slots.length) {
            return dropped * 4 >= seen;
        }
        boolean foundSome = droppedInPass > 0;
        cursor = 0;
        droppedInPass = 0;
        if (slots.length > MIN_SLOTS && 8L * size < slots.length) {
            rebuild(Integer.highestOneBit(2 * size + 1) * 2, size == 0 ? 0 : table.secret);
        }
        return foundSome;
    }

    /** Whether the last sweep came to the end. */
    boolean isSwept() {
        return cursor == 0;
    }

    // ---- The table, under the lock

    private void put(Table table, Entry entry) {
        int mask = table.slots.length - 1;
        int at = home(table, entry.key, entry.hash);
        while (table.slots[at] != null) {
            at = (at + 1) & mask;
        }
        SLOT.setRelease(table.slots, at, entry);
    }

    /** Empties a slot, and moves up the entries behind it that would not be found any more. */
    private void remove(int at) {
        @Nullable Entry[] slots = table.slots;
        int mask = slots.length - 1;
        int gap = at;
        int next = (gap + 1) & mask;
        for (Entry entry = slots[next]; entry != null; entry = slots[next]) {
            int home = home(table, entry.key, entry.hash);
            boolean gapIsOnTheWay = ((next - home) & mask) >= ((next - gap) & mask);
            if (gapIsOnTheWay) {
                SLOT.setRelease(slots, gap, entry);
                gap = next;
            }
            next = (next + 1) & mask;
        }
        SLOT.setRelease(slots, gap, null);
    }

    private void rebuild(int slots, long secret) {
        Table larger = new Table(Math.max(slots, MIN_SLOTS), secret);
        for (Entry entry : table.slots) {
            if (entry != null) {
                put(larger, entry);
            }
        }
        table = larger;
        cursor = 0;
    }

    private int entriesOfHash(Object key, int hash) {
        @Nullable Entry[] slots = table.slots;
        int mask = slots.length - 1;
        int count = 0;
        int at = home(table, key, hash);
        for (Entry entry = slots[at]; entry != null; entry = slots[at]) {
            count += entry.hash == hash ? 1 : 0;
            at = (at + 1) & mask;
        }
        return count;
    }

    private int home(Table table, Object key, int hash) {
        long mixed = table.secret == 0 ? (hash * spread) << KeyTable.SHARD_BITS : secretHash(key, table.secret) << 3;
        return (int) (mixed >>> table.shift);
    }

    private static long secretHash(Object key, long secret) {
        if (!(key instanceof String string)) {
            return key.hashCode() * secret;
        }
        long sum = string.length();
        for (int i = 0; i < string.length(); i++) {
            sum = multiply(sum, secret) + string.charAt(i);
        }
        return multiply(sum % PRIME, secret);
    }

    /** {@code a * b} modulo the prime; both below 2^62. */
    private static long multiply(long a, long b) {
        long high = (Math.multiplyHigh(a, b) << 3) | ((a * b) >>> 61);
        long sum = ((a * b) & PRIME) + high;
        return sum >= PRIME ? sum - PRIME : sum;
    }
}
