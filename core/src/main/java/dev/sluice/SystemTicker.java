package dev.sluice;

/** The one system ticker, a constant so that a limiter can tell it from a test's. */
enum SystemTicker implements Ticker {
    INSTANCE;

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
