package dev.sluice;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The faces of a limiter in this JVM; what they all do is in {@link Engine}. */
final class LocalLimiter implements Limiter {
    private static final System.Logger LOG = System.getLogger(LocalLimiter.class.getName());
    private static final long ANY_DELAY = Long.MAX_VALUE;

    private final Engine engine;
    /** Null for the system's, which is called without asking whose it is. */
    private final @Nullable Ticker ticker;

    private final int percent;
    private final Answer<Decision> whole;
    private final boolean shadow;
    private final @Nullable DecisionListener listener;

    LocalLimiter(Engine engine, int percent, boolean shadow, @Nullable DecisionListener listener) {
        this.engine = engine;
        this.ticker = engine.ticker == Ticker.system() ? null : engine.ticker;
        this.percent = percent;
        this.whole = new Answer.Whole(engine, percent);
        this.shadow = shadow;
        this.listener = listener;
    }

    @Override
    public List<Limit> limits() {
        return engine.plan().limits();
    }

    @Override
    public boolean tryAcquire(String key, long permits) {
        // The clock first: reading it takes longer than all the rest, and waits for what was begun before.
        long nanos = ticker == null ? System.nanoTime() : ticker.nanos();
        check(key, permits);
        if (engine.holds()) {
            throw new IllegalStateException("a concurrency limit needs something to release its permits by: use hold,"
                    + " or decide and release, with " + limits());
        }
        if (shadow || listener != null) {
            return told(key, decision(key, permits, 0)).allowed();
        }
        return permits == 0
                || engine.attempt(engine.clock(nanos), key, permits, percent, 0, Answer.OUTCOME) == Outcome.ALLOWED;
    }

    @Override
    public Decision decide(String key, long permits) {
        check(key, permits);
        return told(key, decision(key, permits, ANY_DELAY));
    }

    @Override
    public Decision peek(String key, long permits) {
        check(key, permits);
        return seen(engine.peek(key, permits, percent));
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(String key, long permits, Duration maxWait) {
        check(key, permits);
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException("maxWait must not be negative, was " + maxWait);
        }
        long waitMicros = TimeUnit.MICROSECONDS.convert(maxWait);
        Decision now = decision(key, permits, waitMicros);
        CompletableFuture<Decision> turn;
        if (now.delayMicros() > 0) {
            turn = engine.delayed(key, now);
        } else if (now.outcome() == Outcome.DENIED && waitMicros > 0 && engine.canWait()) {
            turn = engine.await(key, permits, percent, waitMicros);
        } else {
            turn = CompletableFuture.completedFuture(now);
        }
        if (listener != null) {
            turn.thenAccept(decision -> told(key, decision));
        }
        return turn;
    }

    @Override
    public void refund(String key, Decision taken) {
        check(key, 0);
        if (taken.outcome() == Outcome.ALLOWED && taken.permits() > 0) {
            engine.refund(key, taken);
        }
    }

    @Override
    public void release(String key, Decision taken) {
        check(key, 0);
        if (taken.outcome() == Outcome.ALLOWED && taken.permits() > 0 && engine.holds()) {
            engine.release(key, taken);
        }
    }

    @Override
    public void reset(String key) {
        check(key, 0);
        engine.reset(key);
    }

    @Override
    public void change(Limit... limits) {
        engine.change(List.of(limits));
    }

    @Override
    public Limiter withShare(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("a share is 1 to 100 percent, was " + percent);
        }
        return new LocalLimiter(engine, percent, shadow, listener);
    }

    @Override
    public String toString() {
        return "Limiter" + limits() + (percent == 100 ? "" : " for " + percent + " %");
    }

    private Decision decision(String key, long permits, long maxDelay) {
        Decision decision = permits == 0
                ? engine.peek(key, 0, percent)
                : engine.attempt(engine.clock(), key, permits, percent, maxDelay, whole);
        return seen(decision);
    }

    private Decision seen(Decision decision) {
        return shadow ? decision.watched() : decision;
    }

    private Decision told(String key, Decision decision) {
        if (listener != null) {
            try {
                listener.decided(key, decision);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a listener failed on " + decision, e);
            }
        }
        return decision;
    }

    private static void check(String key, long permits) {
        Objects.requireNonNull(key, "key must not be null");
        if (permits < 0) {
            throw new IllegalArgumentException("permits must be 0 or more, was " + permits);
        }
    }
}
