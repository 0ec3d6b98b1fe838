package dev.sluice.redis.combine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts the states in Redis that no script can have written, and warns of them, at most once a minute. */
public final class DamagedStates {
    private static final System.Logger LOG = System.getLogger(DamagedStates.class.getName());
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongAdder found = new LongAdder();
    private final AtomicLong warnAgainAtNanos = new AtomicLong(System.nanoTime());

    /** A state of this limiter was damaged and has been deleted. */
    public void found(String limiter) {
        found.increment();
        long now = System.nanoTime();
        long at = warnAgainAtNanos.get();
        if (now - at >= 0 && warnAgainAtNanos.compareAndSet(at, now + PAUSE_NANOS)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "a state of the limiter {0} in Redis was damaged and starts anew; {1} so far in this store. Does"
                            + " anything else write to its keys?",
                    limiter,
                    found.sum());
        }
    }

    /** How many there were. */
    public long count() {
        return found.sum();
    }
}
