package dev.sluice.spi;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.KeyUsage;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a limiter over the few operations of a store: checks arguments, applies the shadow, calls the listener.
 *
 * <p>The operations are asynchronous. A store that decides at once may override the blocking calls.
 */
public abstract class AbstractLimiter implements Limiter {
    /** Any delay of a queue is accepted. */
    protected static final long ANY_DELAY = Long.MAX_VALUE;

    /** An operation that is over. */
    protected static final CompletableFuture<?> DONE = CompletableFuture.completedFuture(null);

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    /** The percentage of every limit that requests through this limiter may use. */
    protected final int percent;

    /** Whether there is a shadow or a listener. */
    protected final boolean observed;

    protected final boolean shadow;
    protected final @Nullable DecisionListener listener;

    protected AbstractLimiter(int percent, boolean shadow, @Nullable DecisionListener listener) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("a share is 1 to 100 percent, was " + percent);
        }
        this.percent = percent;
        this.shadow = shadow;
        this.listener = listener;
        this.observed = shadow || listener != null;
    }

    // ---- The operations of the store

    /** Takes the permits if they are admitted with a delay of at most {@code maxDelayMicros}. */
    protected abstract CompletableFuture<Decision> take(String key, long permits, long maxDelayMicros);

    /** The decision that {@link #take} would make with any delay. Takes nothing. */
    protected abstract CompletableFuture<Decision> look(String key, long permits);

    /** What a key has used of each limit. Takes nothing. The future fails if the store does not answer. */
    protected abstract CompletableFuture<List<KeyUsage>> used(String key);

    /** Takes the permits as soon as they can be had, if that is within {@code maxWaitMicros}. */
    protected abstract CompletableFuture<Decision> await(String key, long permits, long maxWaitMicros);

    /** Gives back the last {@code unused} of the permits that an allowed decision took. */
    protected abstract CompletableFuture<?> refundTaken(String key, LimiterDecision taken, long unused);

    /** Ends the hold of the permits that an allowed decision took; does nothing if it holds none. */
    protected abstract CompletableFuture<?> releaseTaken(String key, LimiterDecision taken);

    /** Ends the hold of an allowed decision when the lease is over; none if there is no memory to note it. */
    protected abstract CompletableFuture<OptionalLong> leaseTaken(String key, LimiterDecision taken, long leaseMicros);

    /** Ends the hold with this id; false if there is none. */
    protected abstract CompletableFuture<Boolean> releaseLeased(String key, long id);

    /** Forgets everything a key has used. The future fails if the store does not answer. */
    protected abstract CompletableFuture<?> resetKey(String key);

    /** Whether permits are held until they are released. */
    protected abstract boolean holds();

    /** What the text of this limiter calls it; empty if it has no name. */
    protected String name() {
        return "";
    }

    // ---- The calls of a limiter

    @Override
    public boolean tryAcquire(String key, long permits) {
        check(key, permits);
        checkHoldsNothing();
        return observe(key, holdingNothing(key, take(key, permits, 0).join())).allowed();
    }

    @Override
    public Decision decide(String key, long permits) {
        return decideAsync(key, permits).join();
    }

    @Override
    public final CompletableFuture<Decision> decideAsync(String key, long permits) {
        check(key, permits);
        CompletableFuture<Decision> decision = take(key, permits, ANY_DELAY);
        return observed ? new Observed(key, decision) : decision;
    }

    @Override
    public Decision peek(String key, long permits) {
        return peekAsync(key, permits).join();
    }

    @Override
    public final CompletableFuture<Decision> peekAsync(String key, long permits) {
        check(key, permits);
        CompletableFuture<Decision> seen = look(key, permits);
        return shadow ? seen.thenApply(decision -> LimiterDecision.of(decision).asShadow()) : seen;
    }

    @Override
    public final CompletableFuture<List<KeyUsage>> usageAsync(String key) {
        check(key, 0);
        return used(key);
    }

    @Override
    public final CompletableFuture<Decision> acquireAsync(String key, long permits, Duration maxWait) {
        check(key, permits);
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException("maxWait must not be negative, was " + maxWait);
        }
        long maxWaitMicros = TimeUnit.MICROSECONDS.convert(maxWait);
        CompletableFuture<Decision> pending =
                shadow ? take(key, permits, maxWaitMicros) : await(key, permits, maxWaitMicros);
        return observed ? new Observed(key, pending) : pending;
    }

    @Override
    public final void refund(String key, Decision taken, long unused) {
        refundAsync(key, taken, unused).join();
    }

    @Override
    public final CompletableFuture<?> refundAsync(String key, Decision taken, long unused) {
        check(key, 0);
        if (unused < 0 || unused > taken.permits()) {
            throw new IllegalArgumentException(
                    "unused must be 0 to " + taken.permits() + ", the permits of the decision, was " + unused);
        }
        return tookPermits(taken) && unused > 0 ? refundTaken(key, LimiterDecision.of(taken), unused) : DONE;
    }

    @Override
    public final void release(String key, Decision taken) {
        releaseAsync(key, taken).join();
    }

    @Override
    public final CompletableFuture<?> releaseAsync(String key, Decision taken) {
        check(key, 0);
        return tookPermits(taken) ? releaseTaken(key, LimiterDecision.of(taken)) : DONE;
    }

    @Override
    public final CompletableFuture<OptionalLong> leaseAsync(String key, Decision taken, Duration lease) {
        check(key, 0);
        if (lease.isZero() || lease.isNegative() || lease.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("a lease must be longer than zero and at most one day, was " + lease);
        }
        return tookPermits(taken) && taken.source() != Decision.Source.FAILURE_POLICY && holds()
                ? leaseTaken(key, LimiterDecision.of(taken), Math.max(1, TimeUnit.MICROSECONDS.convert(lease)))
                : CompletableFuture.completedFuture(OptionalLong.empty());
    }

    @Override
    public final CompletableFuture<Boolean> releaseLeaseAsync(String key, long id) {
        check(key, 0);
        return LeaseId.isValid(id) ? releaseLeased(key, id) : CompletableFuture.completedFuture(false);
    }

    @Override
    public final void reset(String key) {
        resetAsync(key).handle((done, noAnswer) -> DONE).join();
    }

    @Override
    public final CompletableFuture<?> resetAsync(String key) {
        check(key, 0);
        return resetKey(key);
    }

    @Override
    public final String toString() {
        return "Limiter" + (name().isEmpty() ? "" : " " + name()) + limits()
                + (percent == 100 ? "" : " for " + percent + " %");
    }

    // ---- For the calls that a store overrides

    protected static void check(String key, long permits) {
        Objects.requireNonNull(key, "key must not be null");
        if (permits < 0) {
            throw new IllegalArgumentException("permits must be 0 or more, was " + permits);
        }
    }

    /** Refuses a call that leaves the caller nothing to release held permits by. */
    protected final void checkHoldsNothing() {
        if (holds()) {
            throw new IllegalStateException("a concurrency limit needs something to release its permits by: use hold,"
                    + " or decide and release, with " + limits());
        }
    }

    /** A decision that its caller will forget. If the limits have been changed to hold permits, it is given back. */
    protected final Decision holdingNothing(String key, Decision decision) {
        if (holds()) {
            refund(key, decision);
            checkHoldsNothing();
        }
        return decision;
    }

    /** The decision as the caller sees it; the listener has been called with it. */
    protected final Decision observe(String key, Decision decision) {
        Decision seen = shadow ? LimiterDecision.of(decision).asShadow() : decision;
        if (listener != null) {
            try {
                listener.decided(key, seen);
            } catch (RuntimeException | Error e) { // the permits are taken: the caller must get the decision
                LOG.log(System.Logger.Level.WARNING, "a listener failed on " + seen, e);
            }
        }
        return seen;
    }

    /** A decision that the listener hears of when the store makes it, and not when its owner completes the future. */
    private final class Observed extends PendingDecision {
        private final CompletableFuture<Decision> pending;

        Observed(String key, CompletableFuture<Decision> pending) {
            this.pending = pending;
            pending.whenComplete((decision, failure) -> {
                if (failure != null) {
                    fail(failure);
                } else if (!answer(() -> observe(key, decision))) {
                    refundAsync(key, decision);
                }
            });
        }

        @Override
        protected Runnable withdraw() {
            pending.cancel(false);
            return () -> {};
        }
    }

    private static boolean tookPermits(Decision decision) {
        return decision.outcome() == Outcome.ALLOWED && decision.permits() > 0;
    }
}
