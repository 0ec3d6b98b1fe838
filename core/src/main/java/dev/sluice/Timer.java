package dev.sluice;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs something later. It may come late, never early by its own clock. */
@FunctionalInterface
interface Timer {
    /** Runs {@code action} after so many microseconds, unless what is returned is run before. */
    Runnable after(long micros, Runnable action);

    /** The timer that the JDK keeps for its futures; what it runs goes to the common pool. */
    static Timer system() {
        return (micros, action) -> {
            CompletableFuture<Void> alarm = new CompletableFuture<>();
            CompletableFuture<Void> done = alarm.thenRunAsync(action);
            alarm.completeOnTimeout(null, micros, TimeUnit.MICROSECONDS);
            return () -> {
                done.cancel(false);
                alarm.cancel(false);
            };
        };
    }
}
