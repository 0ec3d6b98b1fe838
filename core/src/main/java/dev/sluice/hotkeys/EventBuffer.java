package dev.sluice.hotkeys;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A few events that are not in the summary yet. Threads prefer different buffers, and so rarely meet.
 *
 * <p>Who adds an event waits for nobody: a buffer that is in use says so, and the caller takes the next one.
 */
final class EventBuffer {
    /** What became of an event. */
    enum Offer {
        ADDED,
        /** Added, and the buffer is to be emptied now. */
        ADDED_AND_DUE,
        /** Not added: the buffer is full. */
        FULL,
        /** Not added: events come so rarely that each is counted by itself. */
        UNBUFFERED,
        /** Not added: another thread uses the buffer. */
        BUSY
    }

    static final int CAPACITY = 32;

    /** The heap of one buffer, with the longest keys. */
    static final int MAX_BYTES = 512 + CAPACITY * (BoundedKey.MAX_BYTES + 8);

    private static final VarHandle CONTROL = MethodHandles.arrayElementVarHandle(int[].class);
    /** Places in the middle of an array of three cache lines, so that no two buffers share a line. */
    private static final int LOCK = 20;

    private static final int SIZE = 21;
    private static final int LIMIT = 22;

    private final int[] control = new int[48];
    private final String[] keys = new String[CAPACITY];
    private final int[] counts = new int[CAPACITY];
    /** Guarded by the lock of the summary. */
    private long flushedAt;

    EventBuffer(long flushedAt) {
        this.flushedAt = flushedAt;
    }

    Offer offer(String key, int count) {
        if (!tryLock()) {
            return Offer.BUSY;
        }
        int limit = control[LIMIT];
        int size = control[SIZE];
        Offer outcome;
        if (limit == 0) {
            outcome = Offer.UNBUFFERED;
        } else if (size == CAPACITY) {
            outcome = Offer.FULL;
        } else {
            keys[size] = key;
            counts[size] = count;
            control[SIZE] = size + 1;
            outcome = size < limit ? Offer.ADDED : Offer.ADDED_AND_DUE;
        }
        unlock();
        return outcome;
    }

    boolean tryLock() {
        return control[LOCK] == 0 && CONTROL.compareAndSet(control, LOCK, 0, 1);
    }

    /** Waits for a thread that adds one event. */
    void lock() {
        for (int tries = 1; !tryLock(); tries++) {
            pause(tries);
        }
    }

    /** Gives way to a thread that is about to unlock, or that the system has put to sleep before it could. */
    @SuppressWarnings("ThreadPriorityCheck")
    static void pause(int tries) {
        if (tries % 100 == 0) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    void unlock() {
        CONTROL.setRelease(control, LOCK, 0);
    }

    boolean isEmpty() {
        return (int) CONTROL.getAcquire(control, SIZE) == 0;
    }

    /** Moves every event to the summary. The caller holds both locks. */
    void drainTo(Summary summary) {
        summary.add(keys, counts, control[SIZE]);
        control[SIZE] = 0;
    }

    /**
     * Sets how many events may wait: none if the last ones came further apart than {@code apart}, else twice as many as
     * before.
     */
    void adapt(long now, long apart) {
        int limit = control[LIMIT];
        boolean dense = now - flushedAt <= (limit + 1) * apart;
        flushedAt = now;
        control[LIMIT] = dense ? Math.min(CAPACITY - 1, 2 * limit + 1) : 0;
    }
}
