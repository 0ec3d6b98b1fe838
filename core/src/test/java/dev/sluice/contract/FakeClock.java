package dev.sluice.contract;

import dev.sluice.Ticker;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is told otherwise. */
public final class FakeClock implements Ticker {
    private final AtomicLong micros;

    public FakeClock(long startMicros) {
        this.micros = new AtomicLong(startMicros);
    }

    /** Never on the microsecond: a limiter must round the same way before 1970 as after. */
    @Override
    public long nanos() {
        long now = micros.get();
        return now * 1000 + Math.floorMod(now * 7919, 1000L);
    }

    public long micros() {
        return micros.get();
    }

    public void set(long nowMicros) {
        micros.set(nowMicros);
    }

    /** Moves the clock, back if negative. */
    public void advance(long byMicros) {
        micros.addAndGet(byMicros);
    }
}
