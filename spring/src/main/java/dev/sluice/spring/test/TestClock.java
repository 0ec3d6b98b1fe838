package dev.sluice.spring.test;

import dev.sluice.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until the test moves it. */
public final class TestClock implements Ticker {
    private final AtomicLong nanos = new AtomicLong(Duration.ofDays(1).toNanos());

    @Override
    public long nanos() {
        return nanos.get();
    }

    /** Moves the clock forward. */
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time must not be negative, was " + time);
        }
        nanos.addAndGet(time.toNanos());
    }
}
