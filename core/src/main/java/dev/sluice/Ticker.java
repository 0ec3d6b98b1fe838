package dev.sluice;

/**
 * The clock of a limiter: one method, so that a test can be the clock.
 *
 * <p>A ticker should never run backwards. One that does frees no permit early; see {@link Limiter}.
 */
@FunctionalInterface
public interface Ticker {
    /** Nanoseconds since an origin of the ticker's own choice. */
    long nanos();

    /** The JVM's monotonic clock, {@link System#nanoTime()}. */
    static Ticker system() {
        return SystemTicker.INSTANCE;
    }
}
