package dev.sluice.algorithm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A sequence lock in one word, so that a state of several words is read and changed as one.
 *
 * <pre>
 *   bit 0    locked: a thread is changing the state
 *   bit 1    awaited: there is a wait queue for it
 *   above    counts the changes
 *   all ones dropped: look the key up again
 *
 *   read     s = stamp(), read the words, then unchangedSince(s): what was read is one state
 *   write    tryLock(s): one compare-and-set that also proves that nothing changed since s was read;
 *            change the words; unlock(s)
 * </pre>
 *
 * <p>Why: a reader (every denied request) writes nothing that other processors must fetch again, and a writer pays one
 * compare-and-set however many words it changes. A state that has been replaced stays locked for ever: a thread that
 * still has it finds it locked, and looks its key up again.
 */
public abstract class SequenceLock {
    private static final long LOCKED = 1;
    private static final long AWAITED = 2;
    private static final long CHANGE = 4;
    private static final long DROPPED = -1;
    /** The stamp for a state that no other thread can reach, or that this one has locked: locking it always succeeds. */
    static final long EXCLUSIVE = Long.MIN_VALUE | LOCKED;

    private static final VarHandle STAMP;

    static {
        try {
            STAMP = MethodHandles.lookup().findVarHandle(SequenceLock.class, "stamp", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through STAMP
    private long stamp;

    /** The stamp to begin a read with. */
    public final long stamp() {
        return (long) STAMP.getAcquire(this);
    }

    /** Whether the state was being changed, or had been replaced, when the stamp was read. */
    public static boolean isLocked(long stamp) {
        return (stamp & LOCKED) != 0;
    }

    /** Whether there was a wait queue for the state when the stamp was read. */
    public static boolean isAwaited(long stamp) {
        return (stamp & AWAITED) != 0;
    }

    /** Whether the key had been dropped when the stamp was read. */
    public static boolean isDropped(long stamp) {
        return stamp == DROPPED;
    }

    /** Whether everything read since {@code stamp} was one state. */
    public final boolean unchangedSince(long stamp) {
        VarHandle.acquireFence();
        return (long) STAMP.getOpaque(this) == stamp;
    }

    /** Locks the state for a change, if it is unlocked and nothing changed since {@code stamp}. */
    public final boolean tryLock(long stamp) {
        if (isLocked(stamp)) {
            return stamp == EXCLUSIVE;
        }
        if (!STAMP.compareAndSet(this, stamp, stamp | LOCKED)) {
            return false;
        }
        VarHandle.storeStoreFence();
        return true;
    }

    /** Drops the state for good, if it is unlocked and nothing changed since {@code stamp}. */
    public final boolean drop(long stamp) {
        return !isLocked(stamp) && STAMP.compareAndSet(this, stamp, DROPPED);
    }

    /** Ends the change begun by {@link #tryLock} of the same stamp. */
    public final void unlock(long stamp) {
        STAMP.setRelease(this, stamp + CHANGE);
    }

    /** Gives up the lock taken by {@link #tryLock} of the same stamp: nothing was changed. */
    public final void unlockUnchanged(long stamp) {
        STAMP.setRelease(this, stamp);
    }

    /** Ends the change, and marks that there is a wait queue. */
    public final void unlockAwaited(long stamp) {
        STAMP.setRelease(this, (stamp | AWAITED) + CHANGE);
    }

    /** Ends the change, and marks that there is no wait queue any more. */
    public final void unlockUnawaited(long stamp) {
        STAMP.setRelease(this, (stamp & ~AWAITED) + CHANGE);
    }
}
