package dev.sluice.local;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Ticker;
import dev.sluice.spi.AbstractLimiter;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A limiter in this process: one share of a {@link LimiterCore}. */
final class LocalLimiter extends AbstractLimiter {
    final LimiterCore core;
    /** Null for the system's, which is called without asking whose it is. */
    private final @Nullable Ticker ticker;
    /** Null for one that no store made. */
    private final LocalStore.@Nullable Registration registration;

    LocalLimiter(
            LimiterCore core,
            int percent,
            boolean shadow,
            @Nullable DecisionListener listener,
            LocalStore.@Nullable Registration registration) {
        super(percent, shadow, listener);
        this.core = core;
        this.registration = registration;
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
            return observe(key, holdingNothing(key, core.decide(key, permits, percent, 0)))
                    .allowed();
        }
        if (core.tryAcquire(nanos, key, permits, percent)) {
            return true;
        }
        checkHoldsNothing(); // again: the limits may have been changed
        return false;
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
        return new LocalLimiter(core, percent, shadow, listener, registration);
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
    protected CompletableFuture<List<KeyUsage>> used(String key) {
        return CompletableFuture.completedFuture(core.usage(key));
    }

    @Override
    protected CompletableFuture<Decision> await(String key, long permits, long maxWaitMicros) {
        return core.waiting.await(key, permits, percent, maxWaitMicros);
    }

    @Override
    protected CompletableFuture<?> refundTaken(String key, LimiterDecision taken, long unused) {
        core.refund(key, taken, unused);
        return DONE;
    }

    @Override
    protected CompletableFuture<?> releaseTaken(String key, LimiterDecision taken) {
        if (core.holds()) { // a change to limits that hold nothing has ended all holds
            core.release(key, taken);
        }
        return DONE;
    }

    @Override
    protected CompletableFuture<OptionalLong> leaseTaken(String key, LimiterDecision taken, long leaseMicros) {
        return CompletableFuture.completedFuture(core.leases.add(key, taken, leaseMicros));
    }

    @Override
    protected CompletableFuture<Boolean> releaseLeased(String key, long id) {
        return CompletableFuture.completedFuture(core.leases.release(key, id));
    }

    @Override
    protected CompletableFuture<?> resetKey(String key) {
        core.reset(key);
        return DONE;
    }

    /** Refuses those who wait, now and from now on. */
    void close() {
        core.waiting.close();
    }

    /** Drops the keys with all that they have used. */
    void clear() {
        core.clear();
    }

    /** Begins anew: refuses those who wait, and forgets all keys and all times. */
    void restart() {
        core.restart();
    }

    @Override
    protected boolean holds() {
        return core.holds();
    }

    @Override
    protected String name() {
        return registration == null ? "" : registration.name();
    }

    // ---- For several limiters that are charged together

    LimiterCore core() {
        return core;
    }

    int percent() {
        return percent;
    }

    boolean isShadow() {
        return shadow;
    }

    /** Whether another store made it. */
    boolean isForeignTo(LocalStore store) {
        return registration != null && registration.store() != store;
    }

    /** The decision as the caller sees it; the listener has been called with it. */
    Decision observed(String key, Decision decision) {
        return observed ? observe(key, decision) : decision;
    }
}
