package dev.sluice.redis.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Logs that Redis does not answer, and that it answers again.
 *
 * <p>At most once in ten seconds that a call failed, and as often that calls are not made: the first call that fails must
 * not keep the third, which opens the breaker, from being logged.
 */
final class ConnectionLog {
    private static final System.Logger LOG = System.getLogger(ConnectionLog.class.getName());
    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final System.Logger.Level level;
    private final AtomicBoolean warned = new AtomicBoolean();
    private final AtomicLong warnAfterNanos = new AtomicLong(System.nanoTime());
    private final AtomicLong warnOfCallAfterNanos = new AtomicLong(System.nanoTime());

    /** Warns at this level. */
    ConnectionLog(System.Logger.Level level) {
        this.level = level;
    }

    /** Calls are not made for now. */
    void warn(String message) {
        warn(message, warnAfterNanos);
    }

    /** One call failed. */
    void warnOfCall(String message) {
        warn(message, warnOfCallAfterNanos);
    }

    private void warn(String message, AtomicLong afterNanos) {
        long now = System.nanoTime();
        long after = afterNanos.get();
        if (now - after >= 0 && afterNanos.compareAndSet(after, now + WARN_EVERY_NANOS)) {
            warned.set(true);
            LOG.log(level, message);
        }
    }

    void answersAgain() {
        if (warned.compareAndSet(true, false)) {
            LOG.log(System.Logger.Level.INFO, "Redis answers again");
        }
    }
}
