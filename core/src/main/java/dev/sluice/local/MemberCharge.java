package dev.sluice.local;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.algorithm.State;
import dev.sluice.spi.LimiterDecision;
import org.jspecify.annotations.Nullable;

/**
 * One limiter's part in a {@link MultiLimiterCharge}.
 *
 * <p>Several members may charge the same state. The first of them is the owner: it locks and unlocks the state. Those
 * behind it are asked as if the ones before had been charged.
 */
final class MemberCharge {
    private final LocalLimiter limiter;
    private final LimiterCore core;
    private final String key;
    private final long permits;
    private final long maxDelay;
    private final long clock;
    private long now;

    /** Where this state stands in the order of locking. Different states may stand in the same place. */
    long lockOrder;

    Entry entry;
    State state;
    long stamp;

    private MemberCharge owner = this;
    /** Of an owner: whether the words of the state may have changed. */
    private boolean madeRoom;
    /** The permits that the members before it charge to the same state. */
    private long before;

    private Outcome outcome = Outcome.ALLOWED;
    private @Nullable Decision decision;

    MemberCharge(LocalLimiter limiter, String key, long permits, long maxDelay, long nanos) {
        this.limiter = limiter;
        this.core = limiter.core();
        this.key = key;
        this.permits = permits;
        this.maxDelay = maxDelay;
        this.clock = core.clock(nanos);
        core.sweep(key, clock);
        this.entry = find();
        this.state = entry.state;
        place();
    }

    /** Looks the key up again: its entry may have been dropped. */
    void lookUp() {
        entry = find();
        place();
    }

    private Entry find() {
        return permits == 0 ? core.look(key) : core.entry(key);
    }

    private void place() {
        now = core.time(entry, clock);
        lockOrder = ((long) core.number << 32) | (entry.hash & 0xFFFF_FFFFL);
    }

    // ---- Asking

    /** Reads the state, or shares that of the member before it with the same entry; false if it is locked. */
    boolean read(@Nullable MemberCharge previous) {
        madeRoom = false;
        if (previous == null) {
            owner = this;
            before = 0;
            state = entry.state;
            stamp = state.stamp();
        } else {
            owner = previous.owner;
            before = previous.charges() ? saturatedSum(previous.before, previous.permits) : previous.before;
            state = owner.state;
            stamp = owner.stamp;
            now = owner.now;
        }
        return !State.isLocked(stamp);
    }

    /** Whether a key that is only looked at, and had no entry, has none still. */
    boolean isStillUnknown() {
        return entry.unreserved() == 0 || core.look(key).unreserved() > 0;
    }

    /** Asks the state. If that changes meanwhile the answer is worth nothing, and is not used. */
    void evaluate() {
        outcome = Outcome.ALLOWED;
        if (permits == 0) {
            decision = status(state).uncharged(clock);
            return;
        }
        State asked = state;
        if (before > 0) {
            asked = state.copy();
            if (!state.unchangedSince(stamp)) {
                return; // a copy of what does not fit together must not be asked
            }
            core.growAsALook(entry, asked);
            if (!asked.makeRoom(now, before)) {
                outcome = Outcome.DENIED;
                decision = denial(state);
                return;
            }
            asked.take(now, before);
        }
        if (!core.admits(entry, asked, stamp, now, permits, limiter.percent(), core.needs(), maxDelay)) {
            outcome = Outcome.DENIED;
        } else if (core.sheds(asked, now)) {
            outcome = Outcome.SHED;
        }
        if (!charges()) {
            decision = denial(asked);
        }
    }

    /** Whether it denies the request to all. */
    boolean denies() {
        return outcome != Outcome.ALLOWED && !limiter.isShadow();
    }

    /** Whether it takes permits, if all others admit. */
    boolean charges() {
        return outcome == Outcome.ALLOWED && permits > 0;
    }

    /** {@code asked} is the state with what the members before this one take. A queue's delay depends on that. */
    private Decision denial(State asked) {
        boolean ofRest = core.delays();
        long together = ofRest ? permits : saturatedSum(before, permits);
        Decision denied = core.denied(entry, stamp, status(ofRest ? asked : state), clock, together, maxDelay, outcome);
        return together == permits ? denied : LimiterDecision.of(denied).withPermits(permits);
    }

    /** Notes that nothing is taken, because another member denies. */
    void leaveUncharged() {
        if (charges()) {
            decision = status(state).uncharged(clock);
        }
    }

    // ---- Charging

    boolean lock() {
        return owner != this || state.tryLock(stamp);
    }

    /** Allocates what charging needs, which then cannot fail; false if there is no memory for it. */
    boolean makeRoom() {
        if (!charges()) {
            return true;
        }
        owner.madeRoom = true;
        return state.makeRoom(now, saturatedSum(before, permits));
    }

    void charge() {
        if (charges()) {
            long departsAt = state.departsAt(now);
            state.take(now, permits);
            decision = status(state).allowed(permits, clock, departsAt);
        } else if (permits == 0 && before > 0) {
            decision = status(state).uncharged(clock); // with what the members before it have taken
        }
    }

    void unlock() {
        if (owner != this) {
            return;
        }
        if (madeRoom) {
            state.unlock(stamp);
        } else {
            state.unlockUnchanged(stamp);
        }
    }

    /** The decision as the caller sees it; the listener has been called with it. */
    Decision observed() {
        Decision made = decision;
        if (made == null) {
            throw new IllegalStateException("not decided yet");
        }
        return limiter.observed(key, made);
    }

    private LocalKeyStatus status(State state) {
        return new LocalKeyStatus(entry, state, limiter.percent(), now);
    }

    private static long saturatedSum(long a, long b) {
        return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
}
