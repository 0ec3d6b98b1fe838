package dev.sluice;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Says more about a limiter in this JVM than its limits. Rarely needed: {@link Limiter#local} has the defaults. */
public final class LimiterBuilder {
    private final List<Limit> limits;
    private Ticker ticker = Ticker.system();
    private @Nullable LongSupplier wallClock = () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    private Timer timer = Timer.system();
    private int maxKeys = 1 << 24;
    private @Nullable Shedding shedding;
    private boolean shadow;
    private @Nullable DecisionListener listener;

    LimiterBuilder(Limit[] limits) {
        this.limits = List.of(limits);
    }

    /**
     * The clock. Default: {@link Ticker#system()}, beside which windows aligned to the calendar read the wall clock; of
     * any other ticker they take the reading itself as time since 1970.
     */
    public LimiterBuilder ticker(Ticker ticker) {
        this.ticker = ticker;
        this.wallClock = ticker == Ticker.system() ? wallClock : null;
        return this;
    }

    /** The clock of windows aligned to the calendar, in microseconds since 1970. Default: the system's. */
    LimiterBuilder wallClock(LongSupplier wallClock) {
        this.wallClock = wallClock;
        return this;
    }

    /** What wakes those who wait. Default: the JDK's timer. */
    LimiterBuilder timer(Timer timer) {
        this.timer = timer;
        return this;
    }

    /**
     * About how many keys are remembered at once, 1 or more. Default: 16,777,216. Past it, unseen keys share a few
     * common counters until others have gone idle; nobody's own counter is ever dropped to make room.
     */
    public LimiterBuilder maxKeys(int maxKeys) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys must be 1 or more, was " + maxKeys);
        }
        this.maxKeys = maxKeys;
        return this;
    }

    /** Told of every decision. Default: nobody, at no cost. */
    public LimiterBuilder listener(DecisionListener listener) {
        this.listener = listener;
        return this;
    }

    /** Watches without denying: what would have been denied goes ahead as {@link Outcome#SHADOWED}. */
    public LimiterBuilder shadow() {
        this.shadow = true;
        return this;
    }

    /** Denies at random from {@code percent} of the limit on, ever more often up to always at 100. */
    public LimiterBuilder shedFrom(int percent) {
        return shedFrom(percent, ThreadLocalRandom.current().nextLong());
    }

    /** The same, repeatable. */
    public LimiterBuilder shedFrom(int percent, long seed) {
        this.shedding = new Shedding(percent, seed);
        return this;
    }

    public Limiter build() {
        Plan plan = Plan.of(limits, wallClock == null ? 0 : wallClock.getAsLong());
        return new LocalLimiter(new Engine(plan, ticker, wallClock, timer, maxKeys, shedding), 100, shadow, listener);
    }
}
