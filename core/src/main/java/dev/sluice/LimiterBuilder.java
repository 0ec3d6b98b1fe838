package dev.sluice;

/** Builds a limiter in this JVM with options. Rarely needed: {@link Limiter#local} has the defaults. */
public interface LimiterBuilder {
    /**
     * The clock. Default: {@link Ticker#system()}, beside which windows aligned to the calendar read the wall clock; of
     * any other ticker they take the reading itself as time since 1970.
     */
    LimiterBuilder ticker(Ticker ticker);

    /** Wakes those who wait for permits. Default: {@link Scheduler#system()}. It should keep the time of the ticker. */
    LimiterBuilder scheduler(Scheduler scheduler);

    /** A clock that the test moves, as ticker and as scheduler. */
    default LimiterBuilder clock(ManualClock clock) {
        return ticker(clock).scheduler(clock);
    }

    /**
     * A bound of the limiter's own on the bytes that it takes, counters included; 1 or more. Default: all limiters that are
     * made without a store share one bound, a quarter of the largest heap that the JVM may use.
     *
     * <p>At the bound, new keys share one counter until others have gone idle; no key's own counter is ever dropped to
     * make room.
     */
    LimiterBuilder maxBytes(long maxBytes);

    /**
     * The limiter shares the memory bound of this store, and its {@link Store#usage usage} tells about it. Limiters that a
     * store makes by name do so anyway.
     *
     * @throws IllegalArgumentException if the store is not one of this JVM
     */
    LimiterBuilder boundOf(Store store);

    /** A listener that is called with every decision. Default: none, at no cost. */
    LimiterBuilder listener(DecisionListener listener);

    /** Denies nothing: a request that would have been denied goes ahead as {@link Outcome#SHADOWED}. */
    LimiterBuilder shadow();

    /** Denies at random from {@code percent} of the limit on, ever more often up to always at 100. */
    LimiterBuilder shedFrom(int percent);

    /** The same, repeatable. */
    LimiterBuilder shedFrom(int percent, long seed);

    Limiter build();
}
