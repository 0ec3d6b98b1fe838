package dev.sluice.contract;

import dev.sluice.Store;
import dev.sluice.Ticker;

/** Law 13, for the store in this JVM. */
class LocalStoreContractTest extends StoreContract {
    @Override
    protected Store store(Ticker ticker) {
        return Store.local(ticker);
    }
}
