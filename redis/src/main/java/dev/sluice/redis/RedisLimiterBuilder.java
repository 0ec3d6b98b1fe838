package dev.sluice.redis;

import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says more about a limiter on Redis than its limits. Rarely needed: {@link RedisStore#limiter} has the defaults. */
public final class RedisLimiterBuilder {
    private static final int USUAL_LEASE_PERCENT = 10;

    private final RedisStore.Setup setup;
    private final String name;
    private final List<Limit> limits;
    private OnFailure onFailure;
    private int leasePercent;
    private boolean shadow;
    private @Nullable DecisionListener listener;

    RedisLimiterBuilder(RedisStore.Setup setup, String name, Limit[] limits) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a limiter on Redis needs a name: its counters are kept under it");
        }
        this.setup = setup;
        this.name = name;
        this.limits = List.of(limits);
        this.onFailure = setup.onFailure();
    }

    /** What to say while Redis does not answer. Default: as the store says. */
    public RedisLimiterBuilder onFailure(OnFailure onFailure) {
        this.onFailure = onFailure;
        return this;
    }

    /** Takes permits in batches of up to a tenth of the limit and spends them in this process; for hot keys. */
    public RedisLimiterBuilder leased() {
        return leased(USUAL_LEASE_PERCENT);
    }

    /** The same, in batches of up to so many percent of the limit. */
    public RedisLimiterBuilder leased(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("a batch is 1 to 100 percent of the limit, was " + percent);
        }
        this.leasePercent = percent;
        return this;
    }

    /** Told of every decision. Default: nobody, at no cost. */
    public RedisLimiterBuilder listener(DecisionListener listener) {
        this.listener = listener;
        return this;
    }

    /** Watches without denying. */
    public RedisLimiterBuilder shadow() {
        this.shadow = true;
        return this;
    }

    public Limiter build() {
        Plan plan = Plan.of(limits, setup.clock(), setup.leaseMicros(), RedisStore.wallMicros());
        SharedState shared = new SharedState(name, setup, plan, onFailure, leasePercent / 100.0);
        return new RedisLimiter(shared, 100, shadow, listener);
    }
}
