package dev.sluice.local;

import dev.sluice.Limit;
import dev.sluice.LimiterBuilder;
import dev.sluice.LocalProvider;
import dev.sluice.StoreBuilder;

/** Provides the store in this process. Public for {@link java.util.ServiceLoader}. */
public final class LocalStoreProvider extends LocalProvider {
    @Override
    protected LimiterBuilder builder(Limit... limits) {
        return new LocalLimiterBuilder(limits);
    }

    @Override
    protected StoreBuilder storeBuilder() {
        return new LocalStoreBuilder();
    }
}
