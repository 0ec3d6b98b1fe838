package dev.sluice.local;

import dev.sluice.spi.LeaseId;
import dev.sluice.spi.LimiterDecision;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The holds of one limiter that end by themselves. A hold is removed from here before its permits are released, so they are
 * released once, by its lease or by its id.
 */
final class LeasedHolds {
    /** About what a hold takes here: the entry, the decision and the alarm. */
    private static final long BYTES = 400;

    private static final class Leased {
        private final String key;
        private final LimiterDecision taken;
        private volatile Runnable cancelAlarm = () -> {};

        Leased(String key, LimiterDecision taken) {
            this.key = key;
            this.taken = taken;
        }

        long bytes() {
            return BYTES + 2L * key.length();
        }
    }

    private final LimiterCore core;
    /** Null until the first hold: most limiters have none. */
    private volatile @Nullable ConcurrentHashMap<Long, Leased> holds;

    LeasedHolds(LimiterCore core) {
        this.core = core;
    }

    /** Ends a hold when the lease is over, or sooner by the id; none if there is no memory to note it. */
    OptionalLong add(String key, LimiterDecision taken, long leaseMicros) {
        Leased hold = new Leased(key, taken);
        if (!core.memory().tryReserve(hold.bytes())) {
            return OptionalLong.empty();
        }
        long id = LeaseId.next();
        holds().put(id, hold);
        hold.cancelAlarm = core.scheduler.schedule(leaseMicros, () -> release(id));
        return OptionalLong.of(id);
    }

    private ConcurrentHashMap<Long, Leased> holds() {
        ConcurrentHashMap<Long, Leased> known = holds;
        return known == null ? firstHolds() : known;
    }

    private synchronized ConcurrentHashMap<Long, Leased> firstHolds() {
        ConcurrentHashMap<Long, Leased> known = holds;
        if (known == null) {
            known = new ConcurrentHashMap<>();
            holds = known;
        }
        return known;
    }

    /** Ends the hold of a key with this id; false if there is none. */
    boolean release(String key, long id) {
        Leased hold = holds == null ? null : holds().get(id);
        return hold != null && hold.key.equals(key) && release(id);
    }

    private boolean release(long id) {
        Leased hold = holds().remove(id);
        if (hold == null) {
            return false;
        }
        core.memory().release(hold.bytes());
        hold.cancelAlarm.run();
        if (core.holds()) { // a change to limits that hold nothing has ended all holds
            core.release(hold.key, hold.taken);
        }
        return true;
    }
}
