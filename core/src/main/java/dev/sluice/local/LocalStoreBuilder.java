package dev.sluice.local;

import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.StoreBuilder;
import dev.sluice.Ticker;

/** Builds a store in this process. */
final class LocalStoreBuilder implements StoreBuilder {
    private Ticker ticker = Ticker.system();
    private Scheduler scheduler = Scheduler.system();
    private long maxBytes = MemoryBound.defaultBytes();

    @Override
    public StoreBuilder ticker(Ticker ticker) {
        this.ticker = ticker;
        return this;
    }

    @Override
    public StoreBuilder scheduler(Scheduler scheduler) {
        this.scheduler = scheduler;
        return this;
    }

    @Override
    public StoreBuilder maxBytes(long maxBytes) {
        this.maxBytes = MemoryBound.checked(maxBytes);
        return this;
    }

    @Override
    public Store build() {
        return new LocalStore(ticker, scheduler, new MemoryBound(maxBytes));
    }
}
