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
     * The largest number of keys with counters of their own, about; 1 or more. Default: 16,777,216. Beyond it, new keys
     * share a few spare counters until others have gone idle; no key's own counter is ever dropped to make room.
     */
    LimiterBuilder maxKeys(int maxKeys);

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
