package dev.sluice.server.trial;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A stream that ends after a while, or when nobody needs it any more, whatever would still come. One thread reads it; any may
 * ask whether it has ended.
 */
final class TimedStream extends FilterInputStream {
    private final LongSupplier nanos;
    private final long endNanos;
    private final BooleanSupplier unneeded;
    private volatile boolean over;

    TimedStream(InputStream in, Duration time, LongSupplier nanos, BooleanSupplier unneeded) {
        super(in);
        this.nanos = nanos;
        this.unneeded = unneeded;
        this.endNanos = nanos.getAsLong() + time.toNanos();
    }

    /** Whether the time was up when it was last asked for, by a read or by {@link #isOver}. */
    boolean wasCut() {
        return over;
    }

    /** Whether the time is up: then it has ended, whatever it reads from. */
    boolean isOver() {
        if (nanos.getAsLong() - endNanos >= 0 || unneeded.getAsBoolean()) {
            over = true;
        }
        return over;
    }

    @Override
    public int read() throws IOException {
        return isOver() ? -1 : super.read();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        return isOver() ? -1 : super.read(into, offset, length);
    }
}
