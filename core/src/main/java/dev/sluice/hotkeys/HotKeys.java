package dev.sluice.hotkeys;

import dev.sluice.Limiter;
import dev.sluice.Ticker;
import dev.sluice.hotkeys.EventBuffer.Offer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys that come most often: told every key, it says which ones came at least a threshold of times within a
 * sliding window, and bounds of their counts.
 *
 * <pre>{@code
 * HotKeys hot = HotKeys.over(1000, Duration.ofSeconds(1));
 * hot.record("user:7");
 * if (hot.isHot("user:7")) { ... }
 * }</pre>
 *
 * <p><b>Bounds.</b> The number of times that a key was recorded within the last window is never below
 * {@link HotKey#atLeast} nor above {@link HotKey#atMost}. The two differ by what the key had in the one sixteenth of a
 * window that is leaving, and, for a key that was not among the most frequent all the time, by what may have been
 * forgotten of it: a small fraction of all events, see docs/hot-keys.md.
 *
 * <p><b>Hot.</b> A key becomes hot when it certainly reached the threshold: {@code atLeast >= threshold}. It cools down
 * when it is certainly below: {@code atMost < threshold}. While the bounds lie on both sides of the threshold it stays
 * what it was. So no key is called hot that never was, and a key near the threshold does not flicker. A hot key that
 * stops is cold after at most 17/16 of the window.
 *
 * <p><b>Memory</b> is bounded, 256 KB unless set, whatever the keys. A key of more than 64 characters is kept as its
 * first 31 characters, {@code ~}, and a hash of 128 bits in hexadecimal digits. Every method takes the full key.
 *
 * <p><b>Time.</b> A clock that steps back is read as "no time has passed since it was last read". Nothing runs in the background: a key that no
 * longer comes is found to have cooled down by any later query, and by the thirty-second later event of a thread at the
 * latest.
 *
 * <p>It is safe for use by any number of threads. A query sees every event that was recorded before it. Recording
 * loses no event.
 */
public final class HotKeys {
    private static final int MAX_BUFFERS = 16;
    /** Tries before a thread sleeps until the summary is free. */
    private static final int SPINS = 200;
    /** Events of a thread that come closer than this part of a slice are counted several at a time. */
    private static final int DENSE = 1024;

    private static final Comparator<HotKey> MOST_FREQUENT_FIRST = Comparator.comparingLong(HotKey::atLeast)
            .thenComparingLong(HotKey::atMost)
            .reversed()
            .thenComparing(HotKey::key);

    private final Ticker ticker;
    private final long sliceNanos;
    private final BoundedKey boundedKey = new BoundedKey();
    private final EventBuffer[] buffers;
    private final @Nullable Notices notices;

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock, as are the times. */
    private final Summary summary;

    private long latest;
    private long begunAt;

    HotKeys(HotKeysBuilder options) {
        this.ticker = options.ticker;
        this.sliceNanos = Math.max(1, options.windowNanos / Summary.SLICES);
        this.latest = ticker.nanos();
        this.begunAt = latest;
        this.buffers = new EventBuffer[buffers(options.maxBytes)];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = new EventBuffer(latest - options.windowNanos);
        }
        this.notices = options.listener == null ? null : new Notices(options.listener);
        this.summary = new Summary(
                entries(options.maxBytes, buffers.length),
                options.threshold,
                options.windowNanos,
                boundedKey,
                latest,
                this::changed);
    }

    /** Keys are hot that come {@code threshold} times or more within {@code window}. */
    public static HotKeys over(long threshold, Duration window) {
        return builder(threshold, window).build();
    }

    /** The same on a clock of your own. */
    public static HotKeys over(long threshold, Duration window, Ticker ticker) {
        return builder(threshold, window).ticker(ticker).build();
    }

    /**
     * The same with options.
     *
     * @throws IllegalArgumentException if {@code threshold} is below 1, or {@code window} below a millisecond or above 366
     *     days
     */
    public static HotKeysBuilder builder(long threshold, Duration window) {
        return new HotKeysBuilder(threshold, window);
    }

    private static int buffers(int maxBytes) {
        int wanted = Math.min(MAX_BUFFERS, 2 * Runtime.getRuntime().availableProcessors());
        int affordable = Math.max(1, maxBytes / 4 / EventBuffer.MAX_BYTES);
        return Integer.highestOneBit(Math.min(wanted, affordable));
    }

    private static int entries(int maxBytes, int buffers) {
        int fixed = 2048 + buffers * EventBuffer.MAX_BYTES;
        return (maxBytes - fixed) / Summary.MAX_BYTES_PER_ENTRY;
    }

    // ---- Recording

    /** Records that the key came once. */
    public void record(String key) {
        record(key, 1);
    }

    /**
     * Records that the key came {@code count} times, or that a request weighed so much.
     *
     * @throws IllegalArgumentException if {@code count} is negative
     */
    public void record(String key, int count) {
        if (count <= 0) {
            checkNone(key, count);
            return;
        }
        String kept = boundedKey.of(key);
        int home = home();
        Offer offer = buffers[home].offer(kept, count);
        if (offer != Offer.ADDED) {
            finish(kept, count, home, offer);
        }
    }

    /**
     * Limits hot keys only: records the key, and takes a permit of the limiter if the key is hot. A key that is not hot
     * passes, and the limiter never hears of it.
     *
     * @return whether the request may go ahead
     */
    public boolean tryAcquire(Limiter limiter, String key) {
        String kept = boundedKey.of(key);
        boolean hot;
        lock();
        try {
            countStaged();
            summary.add(kept, 1);
            summary.endCurrentAt(latest);
            hot = summary.isHot(kept);
        } finally {
            release();
        }
        return !hot || limiter.tryAcquire(key);
    }

    private static void checkNone(String key, int count) {
        Objects.requireNonNull(key, "key");
        if (count < 0) {
            throw new IllegalArgumentException("a count is 0 or more, not " + count);
        }
    }

    private int home() {
        int hash = (int) Thread.currentThread().getId() * 0x9E3779B9;
        return (hash >>> 16) & (buffers.length - 1);
    }

    /** Does what is left to do after the first try to buffer an event. */
    private void finish(String key, int count, int home, Offer first) {
        Offer offer = first;
        int at = home;
        for (int tries = 1; offer == Offer.BUSY; tries++) {
            EventBuffer.pause(tries);
            at = (at + 1) & (buffers.length - 1);
            offer = buffers[at].offer(key, count);
        }
        if (offer == Offer.ADDED) {
            return;
        }
        EventBuffer buffer = buffers[at];
        lock();
        try {
            count(buffer);
            if (offer != Offer.ADDED_AND_DUE) {
                summary.add(key, count);
                summary.endCurrentAt(latest);
            }
        } finally {
            release();
        }
    }

    // ---- Queries

    /** Whether the key is hot now. */
    public boolean isHot(String key) {
        String kept = boundedKey.of(key);
        lock();
        try {
            countStaged();
            return summary.isHot(kept);
        } finally {
            release();
        }
    }

    /** The bounds of the key's count now. Any key may be asked for, also one that never came. */
    public HotKey count(String key) {
        String kept = boundedKey.of(key);
        lock();
        try {
            countStaged();
            return summary.count(kept);
        } finally {
            release();
        }
    }

    /** The keys that are hot now, the most frequent first. */
    public List<HotKey> hot() {
        return keys(true).stream().sorted(MOST_FREQUENT_FIRST).toList();
    }

    /**
     * The most frequent keys by {@link HotKey#atLeast}, hot or not, the most frequent first.
     *
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public List<HotKey> top(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("the number of top keys is 0 or more, not " + limit);
        }
        return keys(false).stream().sorted(MOST_FREQUENT_FIRST).limit(limit).toList();
    }

    private List<HotKey> keys(boolean onlyHot) {
        lock();
        try {
            countStaged();
            return summary.keys(onlyHot);
        } finally {
            release();
        }
    }

    // ---- Under the lock

    private void lock() {
        for (int tries = 0; tries < SPINS; tries++) {
            if (lock.tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        lock.lock();
    }

    /** Unlocks, and tells the listener what has changed. */
    private void release() {
        lock.unlock();
        if (notices != null) {
            notices.tell();
        }
    }

    private void changed(HotKey key, boolean hot) {
        if (notices != null) {
            notices.add(key, hot);
        }
    }

    private long now() {
        long read = ticker.nanos();
        if (read - latest > 0) {
            latest = read;
        }
        return latest;
    }

    /** Counts the events of one buffer. */
    private void count(EventBuffer buffer) {
        buffer.lock(); // before the clock is read, so that no event in it is later
        try {
            long now = now();
            advance(now, buffer);
            buffer.drainTo(summary);
            summary.endCurrentAt(latest);
            buffer.adapt(now, sliceNanos / DENSE);
        } finally {
            buffer.unlock();
        }
    }

    /** Counts the events of all buffers. */
    private void countStaged() {
        advance(now(), null);
        if (anyStaged()) {
            drainAll(null);
            summary.endCurrentAt(now());
        }
    }

    /**
     * Begins a slice if it is time to. Every event in a buffer came after the current slice began: all buffers are
     * emptied whenever one begins. After a pause nothing more is known of when they came, so they get a slice of their
     * own, from then till now.
     *
     * @param held a buffer that this thread has locked
     */
    private void advance(long now, @Nullable EventBuffer held) {
        summary.expire(now);
        if (now - summary.endOfCurrent() >= sliceNanos && summary.hasRoomFor(2)) {
            if (anyStaged()) {
                summary.begin(summary.startOfCurrent(), now);
                drainAll(held);
                summary.endCurrentAt(now());
            }
        } else if (now - begunAt >= sliceNanos && summary.hasRoomFor(1)) {
            drainAll(held);
            summary.endCurrentAt(now());
        } else {
            return;
        }
        summary.begin(now, latest);
        begunAt = now;
    }

    private boolean anyStaged() {
        for (EventBuffer buffer : buffers) {
            if (!buffer.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private void drainAll(@Nullable EventBuffer held) {
        for (EventBuffer buffer : buffers) {
            if (buffer == held) {
                buffer.drainTo(summary);
            } else if (!buffer.isEmpty()) {
                buffer.lock();
                try {
                    buffer.drainTo(summary);
                } finally {
                    buffer.unlock();
                }
            }
        }
    }

    /** What the tests of memory and of hostile keys look at. */
    Summary summary() {
        return summary;
    }
}
