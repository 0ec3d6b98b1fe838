package dev.sluice;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs actions later: late perhaps, but never early by its own clock. It wakes those who wait for permits. A test passes
 * a {@link ManualClock}, which it moves itself.
 */
@FunctionalInterface
public interface Scheduler {
    /** Runs {@code action} once the delay is over. Running what is returned cancels it. */
    Runnable schedule(long delayMicros, Runnable action);

    /** The timer that the JDK keeps for its futures; the actions run in the common pool. */
    static Scheduler system() {
        return (delayMicros, action) -> {
            CompletableFuture<Void> alarm = new CompletableFuture<>();
            CompletableFuture<Void> done = alarm.thenRunAsync(action);
            alarm.completeOnTimeout(null, delayMicros, TimeUnit.MICROSECONDS);
            return () -> {
                done.cancel(false);
                alarm.cancel(false);
            };
        };
    }
}
