package dev.sluice.bench.chaos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Something that goes wrong while traffic runs. */
interface Scene {
    String name();

    /** Plays it, and says what each party saw. */
    List<Row> play(Effort effort, Stalls stalls);

    /** Waits. */
    static void pause(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
