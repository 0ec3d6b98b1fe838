package dev.sluice.redis.servers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Waits for something to become true, and for no longer than it takes. */
public final class Eventually {
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private Eventually() {}

    /** Waits until {@code condition} holds. One that throws does not hold yet. */
    public static void holds(String what, Duration within, BooleanSupplier condition) {
        long deadline = System.nanoTime() + within.toNanos();
        RuntimeException failure;
        do {
            failure = null;
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
            } catch (RuntimeException e) {
                failure = e;
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        } while (System.nanoTime() - deadline < 0);
        throw tooLate(what, within, failure);
    }

    private static AssertionError tooLate(String what, Duration within, @Nullable RuntimeException failure) {
        return new AssertionError("not within " + within.toMillis() + " ms: " + what, failure);
    }
}
