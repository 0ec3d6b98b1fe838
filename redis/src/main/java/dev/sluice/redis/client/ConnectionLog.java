package dev.sluice.redis.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Logs that Redis does not answer, at most once in ten seconds, and that it answers again. */
final class ConnectionLog {
    private static final System.Logger LOG = System.getLogger(ConnectionLog.class.getName());
    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicBoolean warned = new AtomicBoolean();
    private final AtomicLong warnAfterNanos = new AtomicLong(System.nanoTime());

    void warn(String message) {
        long now = System.nanoTime();
        long after = warnAfterNanos.get();
        if (now - after >= 0 && warnAfterNanos.compareAndSet(after, now + WARN_EVERY_NANOS)) {
            warned.set(true);
            LOG.log(System.Logger.Level.WARNING, message);
        }
    }

    void answersAgain() {
        if (warned.compareAndSet(true, false)) {
            LOG.log(System.Logger.Level.INFO, "Redis answers again");
        }
    }
}
