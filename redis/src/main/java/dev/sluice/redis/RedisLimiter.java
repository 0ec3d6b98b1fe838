package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.redis.script.LimitScripts;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A limiter on Redis, for all or a share of its limits; its operations are in {@link RedisLimiterCore}. */
final class RedisLimiter implements Limiter {
    private static final System.Logger LOG = System.getLogger(RedisLimiter.class.getName());

    private static final CompletableFuture<?> DONE = CompletableFuture.completedFuture(null);

    private final RedisLimiterCore core;
    private final int percent;
    private final boolean shadow;
    private final @Nullable DecisionListener listener;

    RedisLimiter(RedisLimiterCore core, int percent, boolean shadow, @Nullable DecisionListener listener) {
        this.core = core;
        this.percent = percent;
        this.shadow = shadow;
        this.listener = listener;
    }

    RedisLimiterCore core() {
        return core;
    }

    int percent() {
        return percent;
    }

    /** Whether its decisions are those of the script, unchanged and unobserved. */
    boolean isPlain() {
        return !shadow && listener == null && !core.takesBatches();
    }

    @Override
    public List<Limit> limits() {
        return core.limits();
    }

    @Override
    public boolean tryAcquire(String key, long permits) {
        check(key, permits);
        if (core.holds()) {
            throw new IllegalStateException("a concurrency limit needs something to release its permits by: use hold,"
                    + " or decide and release, with " + limits());
        }
        return told(key, core.take(key, permits, percent, 0).join()).allowed();
    }

    @Override
    public Decision decide(String key, long permits) {
        return decideAsync(key, permits).join();
    }

    @Override
    public CompletableFuture<Decision> decideAsync(String key, long permits) {
        check(key, permits);
        CompletableFuture<Decision> taken = core.take(key, permits, percent, LimitScripts.ANY_DELAY);
        return shadow || listener != null ? taken.thenApply(decision -> told(key, decision)) : taken;
    }

    @Override
    public Decision peek(String key, long permits) {
        return peekAsync(key, permits).join();
    }

    @Override
    public CompletableFuture<Decision> peekAsync(String key, long permits) {
        check(key, permits);
        CompletableFuture<Decision> seen = core.peek(key, permits, percent);
        return shadow ? seen.thenApply(Decision::asShadow) : seen;
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(String key, long permits, Duration maxWait) {
        check(key, permits);
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException("maxWait must not be negative, was " + maxWait);
        }
        if (shadow) {
            return decideAsync(key, permits);
        }
        CompletableFuture<Decision> turn = core.await(key, permits, percent, TimeUnit.MICROSECONDS.convert(maxWait));
        if (listener != null) {
            turn.thenAccept(decision -> told(key, decision));
        }
        return turn;
    }

    @Override
    public void refund(String key, Decision taken) {
        refundAsync(key, taken).join();
    }

    @Override
    public CompletableFuture<?> refundAsync(String key, Decision taken) {
        check(key, 0);
        return taken.outcome() == Outcome.ALLOWED && taken.permits() > 0 ? core.refund(key, taken) : DONE;
    }

    @Override
    public void release(String key, Decision taken) {
        releaseAsync(key, taken).join();
    }

    @Override
    public CompletableFuture<?> releaseAsync(String key, Decision taken) {
        check(key, 0);
        return taken.outcome() == Outcome.ALLOWED && taken.permits() > 0 && core.holds()
                ? core.release(key, taken)
                : DONE;
    }

    @Override
    public void reset(String key) {
        check(key, 0);
        core.reset(key);
    }

    @Override
    public void change(Limit... limits) {
        core.change(List.of(limits));
    }

    @Override
    public Limiter withShare(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("a share is 1 to 100 percent, was " + percent);
        }
        return new RedisLimiter(core, percent, shadow, listener);
    }

    @Override
    public String toString() {
        return "Limiter " + core.calls().limiterName() + limits() + (percent == 100 ? "" : " for " + percent + " %");
    }

    private Decision seen(Decision decision) {
        return shadow ? decision.asShadow() : decision;
    }

    private Decision told(String key, Decision decision) {
        Decision told = seen(decision);
        if (listener != null) {
            try {
                listener.decided(key, told);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a listener failed on " + told, e);
            }
        }
        return told;
    }

    private static void check(String key, long permits) {
        Objects.requireNonNull(key, "key must not be null");
        if (permits < 0) {
            throw new IllegalArgumentException("permits must be 0 or more, was " + permits);
        }
    }
}
