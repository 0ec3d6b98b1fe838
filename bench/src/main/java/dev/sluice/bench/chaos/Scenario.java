package dev.sluice.bench.chaos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Something that goes wrong while traffic runs. */
interface Scenario {
    String name();

    /** Runs it, and returns what each caller saw. */
    List<CallerResult> run(Schedule schedule, Stalls stalls);

    /** Waits. */
    static void pause(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
