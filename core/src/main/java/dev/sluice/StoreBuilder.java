package dev.sluice;

/** Builds a store in this JVM with options. */
public interface StoreBuilder {
    /** The clock. Default: {@link Ticker#system()}. */
    StoreBuilder ticker(Ticker ticker);

    /** Wakes those who wait for permits. Default: {@link Scheduler#system()}. It should keep the time of the ticker. */
    StoreBuilder scheduler(Scheduler scheduler);

    /** A clock that the test moves, as ticker and as scheduler. */
    default StoreBuilder clock(ManualClock clock) {
        return ticker(clock).scheduler(clock);
    }

    /**
     * The bound on the bytes that all limiters of the store take together, counters included; 1 or more. Default: a
     * quarter of the largest heap that the JVM may use.
     */
    StoreBuilder maxBytes(long maxBytes);

    Store build();
}
