package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Store;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Charges several rules for one request, all or none. */
final class Turnstile {
    private final Store store;
    private final List<Stake> stakes;

    Turnstile(Store store, List<Stake> stakes) {
        this.store = store;
        this.stakes = stakes;
    }

    CompletableFuture<List<Decision>> run() {
        return store.decideAll(stakes.stream().map(Stake::charge).toList());
    }
}
