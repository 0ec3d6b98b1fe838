package dev.sluice.algorithm;

import java.util.List;

/**
 * The use that one key has made of one limit, and the arithmetic on it. All times are microseconds on one clock.
 *
 * <p>{@link #admits}, {@link #used}, {@link #readyAt}, {@link #freshAt}, {@link #departsAt}, {@link #latest} and {@link
 * #copy} may run while another thread changes the state, under a {@linkplain SequenceLock stamp} that is checked
 * afterwards: on words that do not fit together they may return nonsense, but neither throw nor loop. A copy is such
 * nonsense too until the stamp is checked: nothing may be asked of it before. {@link #take}, {@link #refund} and {@link
 * #release} run while the state is locked.
 *
 * <p>A clock that steps back is read as "no time has passed" since the state was last charged. Instants are absolute, so
 * that the rest of a wait is measured on the clock as it now reads.
 */
public abstract class State extends SequenceLock {
    /** The instant that never comes. */
    public static final long NEVER = Long.MAX_VALUE;

    /** An instant before all others, from which differences to any other still fit. */
    static final long ANCIENT = -(1L << 62);

    /** The numbers this state follows. */
    public abstract Algorithm algorithm();

    /**
     * Whether {@code cost} more permits fit. Time only ever frees permits, so permits that fit beside all that was ever
     * charged fit now; asking that first means the result need not wait for the clock.
     */
    public abstract boolean admits(long now, long cost);

    /**
     * Charges {@code cost} permits and leaves the state locked, if nothing changed since {@code stamp}. They count from
     * the {@linkplain #latest() latest} instant charged for, or from now where none is remembered.
     *
     * <p>The new words are computed before the state is locked, so that other threads wait for the writing only.
     */
    public abstract boolean take(long stamp, long now, long cost);

    /** Charges {@code cost} permits to a state that no other thread can reach, or that this one has locked. */
    public final void take(long now, long cost) {
        boolean taken = take(EXCLUSIVE, now, cost);
        assert taken;
    }

    /**
     * Allocates what a {@link #take(long, long)} of {@code cost} permits needs, which then cannot fail; false if there is
     * no memory for it. Runs while the state is locked, and changes no decision.
     */
    public boolean makeRoom(long now, long cost) {
        return true;
    }

    /** {@link #makeRoom} for a state that was locked by {@code stamp}, and is unlocked again if there is no memory. */
    final boolean makeRoomOrUnlock(long stamp, long now, long cost) {
        boolean made = false;
        try {
            made = makeRoom(now, cost);
        } finally {
            if (!made && stamp != EXCLUSIVE) {
                unlock(stamp);
            }
        }
        return made;
    }

    /** The instant last charged for, where it is remembered. */
    public long latest() {
        return ANCIENT;
    }

    /** Permits in use, rounded up. */
    public abstract long used(long now);

    /**
     * The permits in use by the time at which they were taken, oldest first, in at most {@code most} spans: together they
     * are {@link #used}. None if that is not remembered. Ask only a state that no other thread changes.
     */
    public List<Span> spans(long now, int most) {
        return List.of();
    }

    /** The first instant from now on at which {@code cost} permits, at most the capacity, fit if nobody else comes. */
    public abstract long readyAt(long now, long cost);

    /** The instant from which this state equals a fresh one; any past instant if it already does. */
    public abstract long freshAt(long now);

    /**
     * The instant from which nothing tells whether this state is dropped, and made anew when it is needed: it equals a
     * fresh one, or the first that a key would have, and a clock that is behind it has caught up.
     */
    public long droppableAt(long now) {
        return Math.max(freshAt(now), latest());
    }

    /** What this state says about the permits charged last; {@link #refund} gets it back. */
    public long mark() {
        return 0;
    }

    /**
     * Refunds {@code unused} of the {@code cost} permits charged at {@code takenAt}, as far as time has not regained
     * them. They count as the last ones of the charge.
     */
    public abstract void refund(long now, long takenAt, long mark, long cost, long unused);

    /** Frees {@code cost} permits that are held rather than spent, if they were charged since the last reset. */
    public void release(long mark, long cost) {}

    /** An independent copy. It grows without asking for memory until it is {@linkplain #growWithin told} whom to ask. */
    public abstract State copy();

    /** A state that has used nothing, in the place of this one: what was charged here is not refunded there. */
    public State cleared() {
        return algorithm().fresh();
    }

    /** {@link #cleared}, without a memory of the time: the clock may be set back. */
    public State restarted() {
        return cleared();
    }

    /** The bytes that this state takes on the heap, as it stands. */
    public abstract long bytes();

    /** The state asks {@code memory} before it grows. What it takes already is for the caller to reserve. */
    public void growWithin(Memory memory) {}

    /** When work admitted now may start. */
    public long departsAt(long now) {
        return now;
    }

    /** Permits that can be taken right now. */
    public long remaining(long now) {
        return Math.max(0, algorithm().capacity() - used(now));
    }

    // ---- For requests that may use only a share of the limit

    /** The permits that {@code percent} of the limit can grant at once. */
    public long room(int percent) {
        return algorithm().capacity() * percent / 100;
    }

    /** Whether {@code cost} is within what {@code percent} of the limit can ever grant. */
    public final boolean fits(int percent, long cost) {
        return cost <= room(percent);
    }

    /** Whether {@code cost} permits fit into {@code percent} of the limit. */
    public boolean admits(int percent, long now, long cost) {
        return fits(percent, cost) && admits(now, cost + reserve(percent));
    }

    /** {@link #readyAt(long, long)} for a share; never, if it is more than the share can ever grant. */
    public long readyAt(int percent, long now, long cost) {
        return fits(percent, cost) ? readyAt(now, cost + reserve(percent)) : NEVER;
    }

    /** The first instant at which the permits might fit, where others may also release some before then. */
    public long soonestAt(int percent, long now, long cost) {
        return readyAt(percent, now, cost);
    }

    /** {@link #remaining(long)} for a share. */
    public long remaining(int percent, long now) {
        return Math.max(0, remaining(now) - reserve(percent));
    }

    private long reserve(int percent) {
        return algorithm().capacity() - room(percent);
    }

    // ---- For a counter that several keys have shared, and that takes nothing any more

    /**
     * This state for a counter that takes nothing any more, in no more memory than a fresh one: what was spent may come
     * back later, but by one period after the last charge at the latest. Held permits are still released from it, and its
     * {@linkplain #successor successors} see that.
     */
    public State retired() {
        return copy();
    }

    /**
     * The first state of a key that may have used this {@linkplain #retired} one: what was spent here counts as spent, and
     * what is held here counts as held until it is released here.
     */
    public State successor() {
        return copy();
    }

    // ---- For several limits at once

    /** The number of limits that this is the state of. */
    public int parts() {
        return 1;
    }

    /** The state of the limit at {@code index}. */
    public State part(int index) {
        return this;
    }

    /** This state under other numbers, limit by limit: what was used stays used. */
    public final State migrateTo(Algorithm algorithm, long now) {
        if (algorithm == algorithm()) {
            return copy();
        }
        return algorithm instanceof AllOf all ? all.migrate(this, now) : migrateOne(algorithm, now);
    }

    /** The state of the limit that {@code algorithm} continues, under its numbers; a fresh one if there is none. */
    final State migrateOne(Algorithm algorithm, long now) {
        for (int i = 0; i < parts(); i++) {
            State part = part(i);
            if (part.algorithm().lineage().id() == algorithm.lineage().id()) {
                return algorithm.migrate(part, now);
            }
        }
        return algorithm.fresh();
    }
}
