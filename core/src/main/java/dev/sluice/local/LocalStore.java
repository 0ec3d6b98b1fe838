package dev.sluice.local;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.Ticker;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/** The limiters of this process, by name. */
final class LocalStore implements Store {
    private final Ticker ticker;
    private final ConcurrentHashMap<String, LocalLimiter> limiters = new ConcurrentHashMap<>();
    private volatile boolean closed;

    LocalStore(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Asked again for a name with other limits, the store changes that limiter to them. */
    @Override
    public Limiter limiter(String name, Limit... limits) {
        LocalLimiter limiter = limiters.computeIfAbsent(
                name, unseen -> new LocalLimiterBuilder(limits).ticker(ticker).build());
        if (!limiter.limits().equals(Arrays.asList(limits))) {
            limiter.change(limits);
        }
        if (closed) {
            limiter.close();
        }
        return limiter;
    }

    /** The policy is never needed: memory does not fail. */
    @Override
    public Limiter limiter(String name, OnFailure onFailure, Limit... limits) {
        return limiter(name, limits);
    }

    @Override
    public void forget(String name) {
        limiters.remove(name);
    }

    @Override
    public void close() {
        closed = true;
        limiters.values().forEach(LocalLimiter::close);
        limiters.clear();
    }
}
