package dev.sluice;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs actions later: late perhaps, but never early by its own clock. It wakes those who wait for permits. A test passes
 * a {@link ManualClock}, which it moves itself.
 */
@FunctionalInterface
public interface Scheduler {
    /** Runs {@code action} once the delay is over. Running what is returned cancels it. */
    Runnable schedule(long delayMicros, Runnable action);

    /**
     * The timer that the JDK keeps for its futures; the actions run in the common pool. To cancel, the alarm is completed
     * and not cancelled: some JDKs keep the timer of a future that ended by an exception, and exceptions are slow.
     */
    static Scheduler system() {
        return (delayMicros, action) -> {
            AtomicReference<@Nullable Runnable> due = new AtomicReference<>(action);
            CompletableFuture<Void> alarm = new CompletableFuture<>();
            alarm.thenRun(() -> {
                Runnable notCancelled = due.getAndSet(null);
                if (notCancelled != null) {
                    CompletableFuture.runAsync(notCancelled);
                }
            });
            alarm.completeOnTimeout(null, delayMicros, TimeUnit.MICROSECONDS);
            return () -> {
                due.set(null);
                alarm.complete(null);
            };
        };
    }
}
