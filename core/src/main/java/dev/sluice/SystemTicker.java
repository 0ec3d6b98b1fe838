package dev.sluice;

/** The one system ticker, a constant so that a limiter can recognize it. */
enum SystemTicker implements Ticker {
    INSTANCE;

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
