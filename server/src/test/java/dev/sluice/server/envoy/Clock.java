package dev.sluice.server.envoy;

import dev.sluice.Ticker;
import java.math.BigDecimal;
import java.util.concurrent.atomic.AtomicLong;

/** Time that goes on when it is told to, from 1970. */
final class Clock implements Ticker {
    private final AtomicLong nanos = new AtomicLong();

    void to(String seconds) {
        nanos.set(new BigDecimal(seconds).movePointRight(9).longValueExact());
    }

    @Override
    public long nanos() {
        return nanos.get();
    }

    long micros() {
        return nanos.get() / 1000;
    }
}
