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

    /** Lets so much time pass. */
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time only passes, was " + time);
        }
        nanos.addAndGet(time.toNanos());
    }
}
