package dev.sluice.local;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Ticker;
import dev.sluice.spi.AbstractLimiter;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A limiter in this process: one share of a {@link LimiterCore}. */
final class LocalLimiter extends AbstractLimiter {
    private final LimiterCore core;
    /** Null for the system's, which is called without asking whose it is. */
    private final @Nullable Ticker ticker;

    LocalLimiter(LimiterCore core, int percent, boolean shadow, @Nullable DecisionListener listener) {
        super(percent, shadow, listener);
        this.core = core;
        this.ticker = core.ticker == Ticker.system() ? null : core.ticker;
    }

    @Override
    public List<Limit> limits() {
        return core.limits();
    }

    @Override
    public boolean tryAcquire(String key, long permits) {
        // The clock first: reading it takes longer than all the rest, and waits for what was begun before.
        long nanos = ticker == null ? System.nanoTime() : ticker.nanos();
        check(key, permits);
        checkHoldsNothing();
        if (observed) {
            return observe(key, core.decide(key, permits, percent, 0)).allowed();
        }
        return core.tryAcquire(nanos, key, permits, percent);
    }

    @Override
    public Decision decide(String key, long permits) {
        check(key, permits);
        return observe(key, core.decide(key, permits, percent, ANY_DELAY));
    }

    @Override
    public Decision peek(String key, long permits) {
        check(key, permits);
        Decision seen = core.peek(key, permits, percent);
        return shadow ? LimiterDecision.of(seen).asShadow() : seen;
    }

    @Override
    public void change(Limit... limits) {
        core.change(List.of(limits));
    }

    @Override
    public Limiter withShare(int percent) {
        return new LocalLimiter(core, percent, shadow, listener);
    }

    @Override
    protected CompletableFuture<Decision> take(String key, long permits, long maxDelayMicros) {
        return CompletableFuture.completedFuture(core.decide(key, permits, percent, maxDelayMicros));
    }

    @Override
    protected CompletableFuture<Decision> look(String key, long permits) {
        return CompletableFuture.completedFuture(core.peek(key, permits, percent));
    }

    @Override
    protected CompletableFuture<Decision> await(String key, long permits, long maxWaitMicros) {
        return core.await(key, permits, percent, maxWaitMicros);
    }

    @Override
    protected CompletableFuture<?> refundTaken(String key, LimiterDecision taken) {
        core.refund(key, taken);
        return DONE;
    }

    @Override
    protected CompletableFuture<?> releaseTaken(String key, LimiterDecision taken) {
        core.release(key, taken);
        return DONE;
    }

    @Override
    protected void resetKey(String key) {
        core.reset(key);
    }

    /** Drops the keys with all that they have used. */
    void clear() {
        core.clear();
    }

    @Override
    protected boolean holds() {
        return core.holds();
    }
}
