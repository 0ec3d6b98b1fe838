package dev.sluice.hotkeys;

import dev.sluice.Ticker;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds {@link HotKeys} with options. Rarely needed: {@link HotKeys#over} has the defaults. */
public final class HotKeysBuilder {
    private static final int MIN_BYTES = 32 * 1024;
    private static final int MAX_BYTES = 64 * 1024 * 1024;
    private static final Duration MIN_WINDOW = Duration.ofMillis(1);
    private static final Duration MAX_WINDOW = Duration.ofDays(366);

    final long threshold;
    final long windowNanos;
    Ticker ticker = Ticker.system();
    int maxBytes = 256 * 1024;

    @Nullable
    HotKeyListener listener;

    HotKeysBuilder(long threshold, Duration window) {
        if (threshold < 1) {
            throw new IllegalArgumentException("a threshold is 1 or more events, not " + threshold);
        }
        if (window.compareTo(MIN_WINDOW) < 0 || window.compareTo(MAX_WINDOW) > 0) {
            throw new IllegalArgumentException("a window is 1 millisecond to 366 days, not " + window);
        }
        this.threshold = threshold;
        this.windowNanos = window.toNanos();
    }

    /** The clock. Default: {@link Ticker#system()}. */
    public HotKeysBuilder ticker(Ticker ticker) {
        this.ticker = Objects.requireNonNull(ticker, "ticker");
        return this;
    }

    /** A listener that hears which keys become hot and which cool down. Default: none. */
    public HotKeysBuilder listener(HotKeyListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * The heap that everything takes at most, keys included, 32 KB to 64 MB. More memory makes the bounds closer.
     * Default: 256 KB.
     */
    public HotKeysBuilder maxBytes(int maxBytes) {
        if (maxBytes < MIN_BYTES || maxBytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "maxBytes is " + MIN_BYTES + " to " + MAX_BYTES + " bytes, not " + maxBytes);
        }
        this.maxBytes = maxBytes;
        return this;
    }

    public HotKeys build() {
        return new HotKeys(this);
    }
}
