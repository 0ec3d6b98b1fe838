package dev.sluice.server;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Tells the log of connections that were turned away: how many, and no more than one line a second. */
final class Crowd implements Runnable {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int most;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong toldNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

    Crowd(int most) {
        this.most = most;
    }

    @Override
    public void run() {
        long all = count.incrementAndGet();
        long told = toldNanos.get();
        long now = System.nanoTime();
        if (now - told >= PAUSE_NANOS && toldNanos.compareAndSet(told, now)) {
            Log.warn("connections-turned-away", "most", most, "count", all);
        }
    }
}
