package dev.sluice.local;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.StoreUsage;
import dev.sluice.Ticker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The limiters of this process, by name. */
final class LocalStore implements Store {
    /** Which store made a limiter, and under which name. */
    record Registration(LocalStore store, String name) {}

    private final Ticker ticker;
    private final Scheduler scheduler;
    private final MemoryBound bound;
    private final ConcurrentHashMap<String, LocalLimiter> limiters = new ConcurrentHashMap<>();
    private volatile boolean closed;

    LocalStore(Ticker ticker, Scheduler scheduler, MemoryBound bound) {
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.bound = bound;
    }

    /** Asked again for a name with other limits, the store changes that limiter to them. */
    @Override
    public Limiter limiter(String name, Limit... limits) {
        LocalLimiter limiter = limiters.computeIfAbsent(
                name,
                unseen -> new LocalLimiterBuilder(limits)
                        .ticker(ticker)
                        .scheduler(scheduler)
                        .registration(new Registration(this, name))
                        .bound(bound)
                        .build());
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

    MemoryBound bound() {
        return bound;
    }

    @Override
    public StoreUsage usage() {
        return bound.usage();
    }

    @Override
    public CompletableFuture<List<Decision>> decideAll(List<Charge> charges) {
        List<LocalLimiter> limiters = new ArrayList<>(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            limiters.add(own(charges.get(i).limiter()));
        }
        return CompletableFuture.completedFuture(new MultiLimiterCharge(ticker.nanos(), charges, limiters).decide());
    }

    private LocalLimiter own(Limiter limiter) {
        if (!(limiter instanceof LocalLimiter local) || local.isForeignTo(this)) {
            throw new IllegalArgumentException(
                    limiter + " is not of this store: charge together only limiters that this store made");
        }
        if (local.core().ticker != ticker) {
            throw new IllegalArgumentException(
                    limiter + " has another clock than this store: build it with the ticker of the store");
        }
        return local;
    }

    @Override
    public void forget(String name) {
        LocalLimiter limiter = limiters.remove(name);
        if (limiter != null) {
            limiter.clear();
        }
    }

    @Override
    public void reset() {
        limiters.values().forEach(LocalLimiter::restart);
    }

    @Override
    public void close() {
        closed = true;
        limiters.values().forEach(LocalLimiter::close);
        limiters.clear();
    }
}
