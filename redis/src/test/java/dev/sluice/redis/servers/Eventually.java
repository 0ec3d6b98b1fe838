package dev.sluice.redis.servers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for something to become true, and for no longer than it takes. */
public final class Eventually {
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private Eventually() {}

    /** Waits until {@code condition} holds. One that throws does not hold yet. */
    public static void holds(String what, Duration within, BooleanSupplier condition) {
        holds(what, within, condition, () -> "");
    }

    /** The same; {@code instead} says what there is, if it never holds. */
    public static void holds(String what, Duration within, BooleanSupplier condition, Supplier<String> instead) {
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
        throw new AssertionError("not within " + within.toMillis() + " ms: " + what + " " + instead.get(), failure);
    }
}
