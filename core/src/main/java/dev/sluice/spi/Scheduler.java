package dev.sluice.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs actions later: late perhaps, but never early by its own clock. Tests have one that they move themselves. */
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
