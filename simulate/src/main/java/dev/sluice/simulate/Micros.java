package dev.sluice.simulate;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Durations as whole microseconds. */
final class Micros {
    private Micros() {}

    static long of(Duration duration) {
        return TimeUnit.MICROSECONDS.convert(duration);
    }
}
