package dev.sluice.redis;

import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.script.LimitScripts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds a limiter on Redis with options. Rarely needed: {@link RedisStore#limiter} has the defaults. */
public final class RedisLimiterBuilder {
    private static final int DEFAULT_BATCH_PERCENT = 10;

    private final RedisStore.Setup setup;
    private final String name;
    private final List<Limit> limits;
    private OnFailure onFailure;
    private int batchPercent;
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

    /** How to decide while Redis does not answer. Default: the store's setting. */
    public RedisLimiterBuilder onFailure(OnFailure onFailure) {
        this.onFailure = onFailure;
        return this;
    }

    /** Fetches permits in batches of up to a tenth of the limit and spends them in this process; for hot keys. */
    public RedisLimiterBuilder batched() {
        return batched(DEFAULT_BATCH_PERCENT);
    }

    /** Fetches permits in batches of up to {@code percent} of the limit. */
    public RedisLimiterBuilder batched(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("a batch is 1 to 100 percent of the limit, was " + percent);
        }
        this.batchPercent = percent;
        return this;
    }

    /** Is called with every decision. Default: none. */
    public RedisLimiterBuilder listener(DecisionListener listener) {
        this.listener = listener;
        return this;
    }

    /** Only counts: requests over the limit are allowed and marked. */
    public RedisLimiterBuilder shadow() {
        this.shadow = true;
        return this;
    }

    public Limiter build() {
        LimitScripts scripts = LimitScripts.of(limits, setup.clock(), setup.leaseMicros(), RedisStore.wallMicros());
        RedisLimiterCore core = new RedisLimiterCore(name, setup, scripts, onFailure, batchPercent / 100.0);
        return new RedisLimiter(core, 100, shadow, listener);
    }
}
