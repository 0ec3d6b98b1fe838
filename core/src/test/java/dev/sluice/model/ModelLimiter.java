package dev.sluice.model;

import dev.sluice.Decision;
import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The reference limiter: slow, one call at a time, forgetting nothing, and obviously right. It does not wait and does not
 * change its limits.
 */
public final class ModelLimiter implements Limiter {
    /** What was taken for a decision, and of which model: a reset puts another in its place. */
    private record Taken(KeyModel key, List<Charge> charges) {}

    private final Ticker ticker;
    private final List<Limit> limits;
    private final int percent;
    private final Map<String, KeyModel> keys;
    private final Map<Decision, Taken> taken;

    public ModelLimiter(Ticker ticker, Limit... limits) {
        this(ticker, List.of(limits), 100, new HashMap<>(), new IdentityHashMap<>());
    }

    private ModelLimiter(
            Ticker ticker, List<Limit> limits, int percent, Map<String, KeyModel> keys, Map<Decision, Taken> taken) {
        this.ticker = ticker;
        this.limits = limits;
        this.percent = percent;
        this.keys = keys;
        this.taken = taken;
    }

    @Override
    public List<Limit> limits() {
        return limits;
    }

    @Override
    public synchronized Decision decide(String key, long permits) {
        KeyModel model = key(key);
        KeyModel.Answer answer = model.decide(nowMicros(), permits, percent);
        taken.put(answer.decision(), new Taken(model, answer.charges()));
        return answer.decision();
    }

    @Override
    public Decision peek(String key, long permits) {
        return key(key).copy().decide(nowMicros(), permits, percent).decision();
    }

    @Override
    public CompletableFuture<List<KeyUsage>> usageAsync(String key) {
        return CompletableFuture.completedFuture(key(key).usage(nowMicros()));
    }

    @Override
    public boolean tryAcquire(String key, long permits) {
        Decision decision = peek(key, permits);
        if (!decision.allowed() || (permits > 0 && decision.delayMicros() > 0)) {
            return false;
        }
        return decide(key, permits).allowed();
    }

    @Override
    public void refund(String key, Decision decision, long unused) {
        Taken charged = unused == decision.permits() ? taken.remove(decision) : taken.get(decision);
        if (charged != null && charged.key == key(key)) {
            charged.key.refund(nowMicros(), charged.charges, unused);
        }
    }

    @Override
    public void release(String key, Decision decision) {
        Taken charged = taken.remove(decision);
        if (charged != null && charged.key == key(key)) {
            charged.key.release(charged.charges);
        }
    }

    @Override
    public void reset(String key) {
        keys.remove(key);
    }

    @Override
    public Limiter withShare(int share) {
        return new ModelLimiter(ticker, limits, share, keys, taken);
    }

    private KeyModel key(String key) {
        return keys.computeIfAbsent(key, k -> KeyModel.of(limits));
    }

    private long nowMicros() {
        return Math.floorDiv(ticker.nanos(), 1000L);
    }

    @Override
    public Decision acquire(String key, long permits, Duration maxWait) {
        throw new UnsupportedOperationException("the model does not wait");
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(String key, long permits, Duration maxWait) {
        throw new UnsupportedOperationException("the model does not wait");
    }

    @Override
    public <T, E extends Exception> T call(
            String key, Work<? extends T, E> work, Function<? super Decision, ? extends T> fallback) {
        throw new UnsupportedOperationException("the model runs no work");
    }

    @Override
    public void change(Limit... changed) {
        throw new UnsupportedOperationException("the model keeps its limits");
    }
}
