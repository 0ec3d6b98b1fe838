package dev.sluice.algorithm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A sequence lock in one word, so that a state of several words is read and changed as one.
 *
 * <pre>
 *   bit 0    held: somebody is changing the state
 *   bit 1    awaited: somebody waits in line for it
 *   above    counts the changes
 *   all ones gone: the key was dropped, look it up again
 *
 *   read     s = stamp(), look, then unchangedSince(s): what was seen is one state
 *   write    hold(s): one compare-and-set that also proves nothing changed since s was read;
 *            change the words; free(s)
 * </pre>
 *
 * <p>Why: a reader that only looks (every denied request) writes nothing that others must fetch again, and a writer
 * pays one compare-and-set however many words it changes. A state that has been replaced is left held for ever: who
 * still looks at it finds no free stamp and looks its key up again.
 */
public abstract class SequenceLock {
    private static final long LOCKED = 1;
    private static final long AWAITED = 2;
    private static final long CHANGE = 4;
    private static final long DROPPED = -1;
    /** Stands for the stamp of a state that is not shared, or held already: it can be taken without asking. */
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

    /** The stamp to read under. */
    public final long stamp() {
        return (long) STAMP.getAcquire(this);
    }

    /** Whether someone was changing the state, or it had been replaced, when the stamp was read. */
    public static boolean isLocked(long stamp) {
        return (stamp & LOCKED) != 0;
    }

    /** Whether somebody waited in line for the state when the stamp was read. */
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

    /** Takes the state for a change, if it is free and nothing changed since {@code stamp}. */
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

    /** Drops the state for good, if it is free and nothing changed since {@code stamp}. */
    public final boolean drop(long stamp) {
        return !isLocked(stamp) && STAMP.compareAndSet(this, stamp, DROPPED);
    }

    /** Ends the change begun by {@link #tryLock} of the same stamp. */
    public final void unlock(long stamp) {
        STAMP.setRelease(this, stamp + CHANGE);
    }

    /** Ends the change, and says that somebody waits. */
    public final void unlockAwaited(long stamp) {
        STAMP.setRelease(this, (stamp | AWAITED) + CHANGE);
    }

    /** Ends the change, and says that nobody waits any more. */
    public final void unlockUnawaited(long stamp) {
        STAMP.setRelease(this, (stamp & ~AWAITED) + CHANGE);
    }
}
