package dev.sluice.hotkeys;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;

/**
 * The keys of a sliding window and the bounds of their counts, in a fixed number of entries. Not thread-safe, and reads
 * no clock.
 *
 * <p><b>How is it designed, and why?</b> It is Space-Saving [1] with a count for each slice of the window.
 *
 * <pre>
 *            slice 7    slice 8    slice 9    slice 10
 *   first = 7 [.....|....][..........][..........][....        now
 *                   ^ now - window     full = 8     current = 10
 *   key a        5         12          9          4      exact: it was there all the time
 *   key b        -          -          3         11      came in slice 9, may have been evicted before
 *   lost         2         14         17         21      when each slice began; it is 22 now
 * </pre>
 *
 * <ul>
 *   <li>A slice knows the earliest and the latest time that an event in it can have. A slice that is wholly within the
 *       window counts to both bounds, one that may be partly within counts to the upper one.
 *   <li>{@code lost} only grows. A key without an entry came at most {@code lost - lostAt(k)} times since slice k began,
 *       for every slice k. A key that gets an entry remembers {@code lost}, so that what it may have had before stays
 *       known. A key that has had its entry since before the window is counted exactly.
 *   <li>The score of an entry is what {@code lost} must be for its key to do without: the largest of
 *       {@code (count since slice k) + max(lostAt(k), lost when it came)}. Each event adds one to it.
 *   <li>While there is room for all keys of a window, each has an entry. Then one in eight events of unknown keys gets
 *       one. If none is free, about half of the entries, those with the lowest scores, are evicted at once, and
 *       {@code lost} becomes the highest score among them. The other events are counted in a bucket that the key shares with all keys of similar hash. So a key that
 *       comes once costs next to nothing, and one that comes often soon has an entry.
 *   <li>{@code lost} grows by d only when about half of the m entries have scores of d or more above it, and only events
 *       raise scores. So with N events in a window it grows by about 2 N / m within one, whatever the keys. What a
 *       bucket counts is N / m or so, since there are about as many buckets.
 *   <li>A hot key is not evicted while hot keys are few: or a flood of other keys could cool it down.
 * </ul>
 *
 * <p>[1] Metwally, Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams, 2005.
 */
final class Summary {
    /** The slices of a window. */
    static final int SLICES = 16;
    /** A window touches one more than its slices; two more hold what was recorded around a pause. */
    private static final int COLUMNS = SLICES + 3;

    /** The heap of one entry, with the longest key: its places in the index, its key, its numbers and a bucket's. */
    static final int MAX_BYTES_PER_ENTRY =
            4 * 4 + 2 * 8 + 1 + 4 * 8 + BoundedKey.MAX_BYTES + 2 * (4 * COLUMNS + 2 * 8 + 1);

    /** Of so many events of unknown keys one gets an entry, if none is free. */
    private static final int ADMIT_ONE_OF = 8;

    /** How many scores are looked at to find one in the middle. */
    private static final int SAMPLES = 31;

    private final int capacity;
    /** A power of two, at most the capacity. The numbers of the buckets follow those of the entries. */
    private final int buckets;

    private final long windowNanos;
    private final long threshold;
    /** Told of a key that becomes hot (true) or cools down (false). */
    private final BiConsumer<HotKey, Boolean> changes;

    private final KeyIndex index;
    private final String[] keys;
    private final boolean[] used;
    private final boolean[] hot;
    private final int[] free;
    private int freeEntries;
    private int hotEntries;

    /** The count of each entry in the slices that are wholly within the window. */
    private final long[] total;
    /** The slice in which an entry began, and {@code lost} at that time. */
    private final long[] since;

    private final long[] lostBefore;
    /** What the bucket of an entry's key had counted in that slice by then. */
    private final int[] bucketBefore;

    private final long[] score;
    private final int[][] counts;

    private final long[] start = new long[COLUMNS];
    private final long[] end = new long[COLUMNS];
    private final long[] lostAt = new long[COLUMNS];
    private final boolean[] saturated = new boolean[COLUMNS];

    /** The oldest slice that may be within the window, the oldest that is so wholly, and the one that is filled. */
    private long first;

    private long full;
    private long current;
    private int[] column;

    private final int[] hashes = new int[EventBuffer.CAPACITY];
    private long lost;
    private final long[] samples = new long[SAMPLES];
    private int sampleFrom;
    private int dice = ThreadLocalRandom.current().nextInt() | 1;

    Summary(
            int capacity,
            long threshold,
            long windowNanos,
            BoundedKey boundedKey,
            long now,
            BiConsumer<HotKey, Boolean> changes) {
        this.capacity = capacity;
        this.buckets = Integer.highestOneBit(capacity);
        this.threshold = threshold;
        this.windowNanos = windowNanos;
        this.changes = changes;
        this.keys = new String[capacity];
        this.index = new KeyIndex(keys, boundedKey);
        this.used = new boolean[capacity];
        this.hot = new boolean[capacity + buckets];
        Arrays.fill(hot, capacity, hot.length, true); // a bucket never becomes hot
        this.free = new int[capacity];
        this.total = new long[capacity + buckets];
        this.since = new long[capacity];
        this.lostBefore = new long[capacity];
        this.bucketBefore = new int[capacity];
        this.score = new long[capacity + buckets];
        this.counts = new int[COLUMNS][capacity + buckets];
        this.column = counts[0];
        for (int entry = 0; entry < capacity; entry++) {
            free[freeEntries++] = entry;
        }
        start[0] = now;
        end[0] = now;
    }

    // ---- Time

    /** Whether this many more slices can be begun. If not, the current one goes on. */
    boolean hasRoomFor(int slices) {
        return current - first + 1 + slices <= COLUMNS;
    }

    long startOfCurrent() {
        return start[at(current)];
    }

    /** The latest time that an event in the current slice can have. */
    long endOfCurrent() {
        return end[at(current)];
    }

    /** Says that no event so far came after {@code now}. */
    void endCurrentAt(long now) {
        end[at(current)] = now;
    }

    /** Begins a slice, whose events come at {@code from} or later. There must be room for it. */
    void begin(long from, long now) {
        current++;
        start[at(current)] = from;
        end[at(current)] = now;
        lostAt[at(current)] = lost;
        column = counts[at(current)];
        for (int entry = 0; entry < capacity; entry++) {
            score[entry] = Math.max(score[entry], lost);
        }
        expire(now);
    }

    /** Lets go of what has left the window at {@code now}. */
    void expire(long now) {
        long oldFirst = first;
        long oldFull = full;
        while (full <= current && start[at(full)] - now + windowNanos <= 0) {
            int[] leaving = counts[at(full)];
            for (int i = 0; i < leaving.length; i++) {
                total[i] -= leaving[i];
            }
            full++;
        }
        while (first < full && first < current && end[at(first)] - now + windowNanos <= 0) {
            int gone = at(first);
            Arrays.fill(counts[gone], 0);
            saturated[gone] = false;
            first++;
        }
        if (first != oldFirst) {
            rescore();
        }
        if (hotEntries > 0 && (first != oldFirst || full != oldFull)) {
            coolDown();
        }
    }

    /** Forgets in the scores what the keys had in slices that are gone. */
    private void rescore() {
        for (int entry = 0; entry < capacity; entry++) {
            long sum = 0;
            long highest = 0;
            for (long slice = current; slice >= first; slice--) {
                int at = at(slice);
                sum += counts[at][entry];
                highest = Math.max(highest, sum + Math.max(lostAt[at], lostBefore[entry]));
            }
            score[entry] = highest;
        }
    }

    private static int at(long slice) {
        return (int) (slice % COLUMNS);
    }

    private void coolDown() {
        for (int entry = 0; entry < capacity; entry++) {
            if (hot[entry] && atMost(entry) < threshold) {
                setCold(entry);
            }
        }
    }

    // ---- Counting

    /**
     * Counts the first {@code size} of several events, at most {@link EventBuffer#CAPACITY}. Their hashes come first:
     * the processor works on many of them at a time, and a branch that it guessed wrong later on is found out sooner.
     */
    void add(String[] keys, int[] counts, int size) {
        for (int i = 0; i < size; i++) {
            hashes[i] = index.hash(keys[i]);
        }
        boolean keyed = index.isKeyed();
        for (int i = 0; i < size; i++) {
            boolean stale = index.isKeyed() != keyed;
            add(keys[i], stale ? index.hash(keys[i]) : hashes[i], counts[i]);
        }
    }

    /** Counts events of a key in the current slice. */
    void add(String key, int count) {
        add(key, index.hash(key), count);
    }

    private void add(String key, int hash, int count) {
        int entry = index.find(key, hash);
        if (entry < 0) {
            entry = isAdmitted(count) ? insert(key, hash) : bucket(key);
        }
        int[] cells = column;
        int old = cells[entry];
        int sum = old + count;
        if (sum < 0) {
            sum = Integer.MAX_VALUE;
            saturated[at(current)] = true;
        }
        cells[entry] = sum;
        score[entry] += sum - old;
        if (full <= current) {
            long certain = total[entry] + (sum - old);
            total[entry] = certain;
            if (certain >= threshold && !hot[entry]) {
                setHot(entry);
            }
        }
    }

    /** While there was room for all, every key gets an entry; else by chance, so that nobody can tell beforehand. */
    private boolean isAdmitted(int count) {
        if (freeEntries > 0 && lost == lostAt[at(first)]) {
            return true;
        }
        dice ^= dice << 13;
        dice ^= dice >>> 17;
        dice ^= dice << 5;
        return (dice & (ADMIT_ONE_OF - 1)) < count;
    }

    private int bucket(String key) {
        return capacity + (index.stableHash(key) >>> 16 & (buckets - 1));
    }

    private int insert(String key, int hash) {
        if (freeEntries == 0) {
            evict();
        }
        int entry = free[--freeEntries];
        keys[entry] = key;
        used[entry] = true;
        total[entry] = 0;
        since[entry] = current;
        lostBefore[entry] = lost;
        bucketBefore[entry] = column[bucket(key)];
        score[entry] = lost;
        index.add(entry, hash);
        return entry;
    }

    /** Evicts every entry with a score up to one in the middle; hot ones only if they are many. */
    private void evict() {
        boolean sparesHot = hotEntries <= capacity / 4;
        long bound = middleScore(sparesHot);
        lost = Math.max(lost, bound);
        for (int entry = 0; entry < capacity; entry++) {
            if (score[entry] <= bound && !(sparesHot && hot[entry])) {
                evict(entry);
            }
        }
        index.retain(used);
    }

    /** The middle of some scores that are spread over the entries. */
    private long middleScore(boolean sparesHot) {
        int step = capacity / SAMPLES;
        sampleFrom = (sampleFrom + 1) % capacity;
        int entry = sampleFrom;
        for (int i = 0; i < SAMPLES; i++) {
            while (sparesHot && hot[entry]) {
                entry = (entry + 1) % capacity;
            }
            samples[i] = score[entry];
            entry = (entry + step) % capacity;
        }
        Arrays.sort(samples);
        return samples[SAMPLES / 2];
    }

    private void evict(int entry) {
        if (hot[entry]) {
            setCold(entry);
        }
        for (long slice = Math.max(first, since[entry]); slice <= current; slice++) {
            counts[at(slice)][entry] = 0;
        }
        used[entry] = false;
        free[freeEntries++] = entry;
    }

    private void setHot(int entry) {
        hot[entry] = true;
        hotEntries++;
        changes.accept(bounds(entry), true);
    }

    private void setCold(int entry) {
        hot[entry] = false;
        hotEntries--;
        changes.accept(bounds(entry), false);
    }

    // ---- Bounds

    /** What an entry counted in all slices that may be within the window. */
    private long counted(int entry) {
        long sum = total[entry];
        for (long slice = first; slice < full; slice++) {
            sum += counts[at(slice)][entry];
        }
        return sum;
    }

    private long atMost(int entry) {
        return anySaturated() ? Long.MAX_VALUE : counted(entry) + before(entry);
    }

    /** How often the key of an entry came, at most, within the window before it had the entry. */
    private long before(int entry) {
        if (since[entry] < first) {
            return 0;
        }
        long sum = lostBefore[entry] - lostAt[at(first)] + bucketBefore[entry];
        int bucket = bucket(keys[entry]);
        for (long slice = first; slice < since[entry]; slice++) {
            sum += counts[at(slice)][bucket];
        }
        return sum;
    }

    private boolean anySaturated() {
        for (boolean slice : saturated) {
            if (slice) {
                return true;
            }
        }
        return false;
    }

    private HotKey bounds(int entry) {
        return new HotKey(keys[entry], total[entry], atMost(entry));
    }

    boolean isHot(String key) {
        if (hotEntries == 0) {
            return false;
        }
        int entry = index.find(key, index.hash(key));
        return entry >= 0 && hot[entry];
    }

    HotKey count(String key) {
        int entry = index.find(key, index.hash(key));
        if (entry >= 0) {
            return bounds(entry);
        }
        long lostInWindow = lost - lostAt[at(first)] + counted(bucket(key));
        return new HotKey(key, 0, anySaturated() ? Long.MAX_VALUE : lostInWindow);
    }

    /** The keys that have an entry and may be within the window, in no order; only the hot ones if asked for. */
    List<HotKey> keys(boolean onlyHot) {
        List<HotKey> found = new ArrayList<>();
        for (int entry = 0; entry < capacity; entry++) {
            if (used[entry] && (hot[entry] || (!onlyHot && counted(entry) > 0))) {
                found.add(bounds(entry));
            }
        }
        return found;
    }

    int capacity() {
        return capacity;
    }

    boolean isKeyed() {
        return index.isKeyed();
    }
}
