package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.spi.AbstractLimiter;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A limiter on Redis: one share of a {@link RedisLimiterCore}. */
final class RedisLimiter extends AbstractLimiter {
    private final RedisLimiterCore core;

    RedisLimiter(RedisLimiterCore core, int percent, boolean shadow, @Nullable DecisionListener listener) {
        super(percent, shadow, listener);
        this.core = core;
    }

    RedisLimiterCore core() {
        return core;
    }

    int percent() {
        return percent;
    }

    boolean isShadow() {
        return shadow;
    }

    /** The decision as the caller sees it; the listener has been called with it. */
    Decision observed(String key, Decision decision) {
        return observe(key, decision);
    }

    /** Takes the permits if they are admitted with a delay of at most {@code maxDelayMicros}. */
    CompletableFuture<Decision> decide(String key, long permits, long maxDelayMicros) {
        return take(key, permits, maxDelayMicros).thenApply(decision -> observe(key, decision));
    }

    @Override
    public List<Limit> limits() {
        return core.scripts().limits();
    }

    @Override
    public void change(Limit... limits) {
        core.change(List.of(limits));
    }

    @Override
    public Limiter withShare(int percent) {
        return new RedisLimiter(core, percent, shadow, listener);
    }

    @Override
    protected CompletableFuture<Decision> take(String key, long permits, long maxDelayMicros) {
        return core.take(key, permits, percent, maxDelayMicros);
    }

    @Override
    protected CompletableFuture<Decision> look(String key, long permits) {
        return core.peek(key, permits, percent);
    }

    @Override
    protected CompletableFuture<List<KeyUsage>> used(String key) {
        return core.calls().usage(key);
    }

    @Override
    protected CompletableFuture<Decision> await(String key, long permits, long maxWaitMicros) {
        return core.await(key, permits, percent, maxWaitMicros);
    }

    @Override
    protected CompletableFuture<?> refundTaken(String key, LimiterDecision taken, long unused) {
        return core.refund(key, taken, unused);
    }

    @Override
    protected CompletableFuture<?> releaseTaken(String key, LimiterDecision taken) {
        return core.release(key, taken);
    }

    @Override
    protected CompletableFuture<OptionalLong> leaseTaken(String key, LimiterDecision taken, long leaseMicros) {
        return core.lease(key, taken, leaseMicros);
    }

    @Override
    protected CompletableFuture<Boolean> releaseLeased(String key, long id) {
        return core.releaseLease(key, id);
    }

    @Override
    protected CompletableFuture<?> resetKey(String key) {
        return core.reset(key);
    }

    @Override
    protected boolean holds() {
        return core.scripts().holds();
    }

    @Override
    protected String name() {
        return core.calls().limiterName();
    }
}
