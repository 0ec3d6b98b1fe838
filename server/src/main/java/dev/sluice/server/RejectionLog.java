package dev.sluice.server;

import dev.sluice.server.log.ServerLog;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Logs how many connections were rejected because there were too many, at most one line a second. */
final class RejectionLog implements Runnable {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int max;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong loggedNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

    RejectionLog(int max) {
        this.max = max;
    }

    /** How many were rejected. */
    long count() {
        return count.get();
    }

    @Override
    public void run() {
        long all = count.incrementAndGet();
        long logged = loggedNanos.get();
        long now = System.nanoTime();
        if (now - logged >= PAUSE_NANOS && loggedNanos.compareAndSet(logged, now)) {
            ServerLog.events()
                    .atWarn()
                    .addKeyValue("max", max)
                    .addKeyValue("count", all)
                    .log("connections-rejected");
        }
    }
}
