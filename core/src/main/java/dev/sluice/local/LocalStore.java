package dev.sluice.local;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.StoreUsage;
import dev.sluice.Ticker;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/** The limiters of this process, by name. */
final class LocalStore implements Store {
    private final Ticker ticker;
    private final MemoryBound bound;
    private final ConcurrentHashMap<String, LocalLimiter> limiters = new ConcurrentHashMap<>();

    LocalStore(Ticker ticker, MemoryBound bound) {
        this.ticker = ticker;
        this.bound = bound;
    }

    /** Asked again for a name with other limits, the store changes that limiter to them. */
    @Override
    public Limiter limiter(String name, Limit... limits) {
        LocalLimiter limiter = limiters.computeIfAbsent(
                name,
                unseen -> new LocalLimiterBuilder(limits)
                        .ticker(ticker)
                        .bound(bound)
                        .build());
        if (!limiter.limits().equals(Arrays.asList(limits))) {
            limiter.change(limits);
        }
        return limiter;
    }

    /** The policy is never needed: memory does not fail. */
    @Override
    public Limiter limiter(String name, OnFailure onFailure, Limit... limits) {
        return limiter(name, limits);
    }

    MemoryBound bound() {
        return bound;
    }

    @Override
    public StoreUsage usage() {
        return bound.usage();
    }

    @Override
    public void forget(String name) {
        LocalLimiter limiter = limiters.remove(name);
        if (limiter != null) {
            limiter.clear();
        }
    }

    @Override
    public void close() {
        limiters.keySet().forEach(this::forget);
    }
}
