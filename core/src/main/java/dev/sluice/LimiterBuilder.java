package dev.sluice;

/** Says more about a limiter in this JVM than its limits. Rarely needed: {@link Limiter#local} has the defaults. */
public final class LimiterBuilder {
    LimiterBuilder(Limit[] limits) {}

    /** The clock. Default: {@link Ticker#system()}. */
    public LimiterBuilder ticker(Ticker ticker) {
        return this;
    }

    /** The most keys remembered at once. Default: 10,000,000. */
    public LimiterBuilder maxKeys(int maxKeys) {
        return this;
    }

    /** Told of every decision. Default: nobody. */
    public LimiterBuilder listener(DecisionListener listener) {
        return this;
    }

    /** Watches without denying: what would have been denied goes ahead as {@link Outcome#SHADOWED}. */
    public LimiterBuilder shadow() {
        return this;
    }

    /** Denies at random from {@code percent} of the limit, ever more often until every request is denied at 100. */
    public LimiterBuilder shedFrom(int percent) {
        return this;
    }

    /** Makes the shedding repeatable. */
    public LimiterBuilder shedFrom(int percent, long seed) {
        return this;
    }

    public Limiter build() {
        throw new IllegalStateException();
    }
}
