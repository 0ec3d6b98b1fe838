package dev.sluice.redis.wait;

import dev.sluice.Scheduler;
import dev.sluice.Ticker;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An alarm that goes off once, at the earliest of the times that it was set to. Not safe for use by several threads. */
final class WakeUp {
    private final Scheduler scheduler;
    private final Ticker ticker;
    private final Runnable action;
    private long atNanos;
    private @Nullable Runnable cancel;

    WakeUp(Scheduler scheduler, Ticker ticker, Runnable action) {
        this.scheduler = scheduler;
        this.ticker = ticker;
        this.action = action;
    }

    void after(long micros) {
        long at = ticker.nanos() + Math.min(Long.MAX_VALUE / 4, TimeUnit.MICROSECONDS.toNanos(micros));
        if (cancel == null || at - atNanos < 0) {
            cancel();
            atNanos = at;
            cancel = scheduler.schedule(Math.max(1, micros), action);
        }
    }

    void cancel() {
        if (cancel != null) {
            cancel.run();
            cancel = null;
        }
    }
}
