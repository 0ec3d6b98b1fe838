package dev.sluice.local;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.algorithm.State;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request to several limiters: all of them are charged, or none, in one step.
 *
 * <p><b>How is it designed, and why?</b> It is {@link LimiterCore}'s way with one state, done with several:
 *
 * <pre>
 *   read      every state and its stamp, and ask each
 *   one denies        are all stamps unchanged? Then there was a moment at which all was as read. Nothing is written.
 *   all admit         lock each by a compare-and-set on the stamp that was read, charge all, unlock all
 * </pre>
 *
 * <p>If a stamp has changed, or a state is locked, the locks are given up, with nothing changed, and all begins anew.
 * So no thread waits while it has a lock, and none can wait for another in a circle. States are locked in one order that
 * all threads follow, so that of two requests to the same keys one gets on.
 *
 * <p>Nothing is ever refunded. What may fail for want of memory is done before the first word is written.
 */
final class MultiLimiterCharge {
    /** In the order of the charges. */
    private final MemberCharge[] members;
    /** In the order of locking; charges to the same state are in the order of the charges. */
    private final MemberCharge[] ordered;

    /** The charges to {@code limiters}, when their clock says {@code nanos}. */
    MultiLimiterCharge(long nanos, List<Charge> charges, List<LocalLimiter> limiters) {
        members = new MemberCharge[charges.size()];
        for (int i = 0; i < members.length; i++) {
            Charge charge = charges.get(i);
            long maxDelay = charge.maxDelay().equals(Decision.NEVER)
                    ? State.NEVER
                    : TimeUnit.MICROSECONDS.convert(charge.maxDelay());
            members[i] = new MemberCharge(limiters.get(i), charge.key(), charge.permits(), maxDelay, nanos);
        }
        ordered = members.clone();
    }

    List<Decision> decide() {
        for (int tries = 0; !decideOnce(); tries++) {
            LimiterCore.relax(tries);
            for (MemberCharge member : members) {
                member.lookUp();
            }
        }
        Decision[] decisions = new Decision[members.length];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = members[i].observed();
        }
        return List.of(decisions);
    }

    /** Decides, unless another call comes between. */
    private boolean decideOnce() {
        sort();
        boolean denied = false;
        boolean charges = false;
        for (int i = 0; i < ordered.length; i++) {
            MemberCharge member = ordered[i];
            if (!member.read(previousOfSameEntry(i))) {
                return false;
            }
            member.evaluate();
            denied |= member.denies();
            charges |= member.charges();
        }
        for (MemberCharge member : ordered) {
            if (!member.isStillUnknown()) {
                return false;
            }
        }
        return (denied || !charges) ? leaveUncharged() : lockAndCharge();
    }

    /** By insertion: there are few, and members with the same place keep their order. */
    private void sort() {
        for (int i = 1; i < ordered.length; i++) {
            MemberCharge member = ordered[i];
            int at = i;
            for (; at > 0 && ordered[at - 1].lockOrder > member.lockOrder; at--) {
                ordered[at] = ordered[at - 1];
            }
            ordered[at] = member;
        }
    }

    private @Nullable MemberCharge previousOfSameEntry(int index) {
        MemberCharge member = ordered[index];
        for (int i = index - 1; i >= 0 && ordered[i].lockOrder == member.lockOrder; i--) {
            if (ordered[i].entry == member.entry) {
                return ordered[i];
            }
        }
        return null;
    }

    /** Takes nothing, and says how all stand, if what was read is of one moment. */
    private boolean leaveUncharged() {
        for (MemberCharge member : members) {
            member.leaveUncharged();
        }
        for (MemberCharge member : members) {
            if (!member.state.unchangedSince(member.stamp)) {
                return false;
            }
        }
        return true;
    }

    private boolean lockAndCharge() {
        int locked = 0;
        boolean unchanged = true;
        while (unchanged && locked < ordered.length) {
            unchanged = ordered[locked].lock();
            locked += unchanged ? 1 : 0;
        }
        if (!unchanged) {
            unlock(locked);
            return false;
        }
        try {
            for (MemberCharge member : ordered) {
                if (!member.makeRoom()) {
                    return false; // there is less memory now: all are asked anew
                }
            }
            for (MemberCharge member : ordered) {
                member.charge();
            }
        } finally {
            unlock(locked);
        }
        return true;
    }

    private void unlock(int locked) {
        for (int i = 0; i < locked; i++) {
            ordered[i].unlock();
        }
    }
}
