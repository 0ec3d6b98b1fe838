package dev.sluice;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where limiters keep their counters, and with whom they share them. */
public interface Store extends AutoCloseable {
    /** A store in this JVM. */
    static Store local() {
        return local(Ticker.system());
    }

    /** A store in this JVM on a clock of your own. */
    static Store local(Ticker ticker) {
        return builder().ticker(ticker).build();
    }

    /** A store in this JVM with options. */
    static StoreBuilder builder() {
        return LocalProvider.get().storeBuilder();
    }

    /** A limiter. Limiters of the same name share their counters, as far as the store reaches. */
    Limiter limiter(String name, Limit... limits);

    /** The same, with a policy for the time while the store does not answer. */
    Limiter limiter(String name, OnFailure onFailure, Limit... limits);

    /**
     * Charges several limiters of this store for one request: all of them or none. When one denies, nothing is taken, and
     * the decisions of the others say how they stand without the request, or that they deny it too.
     *
     * <p>A store that cannot do this in one step charges them in order, and refunds them when one denies. It never admits
     * more than the limits allow, but another request may be denied meanwhile.
     */
    default CompletableFuture<List<Decision>> decideAll(List<Charge> charges) {
        return new SequentialCharge(charges).run();
    }

    /** How much memory of this process the store takes for its counters. */
    default StoreUsage usage() {
        return StoreUsage.NONE;
    }

    /**
     * Forgets a limiter that is not used any more, with its counters. Counters that are shared with other processes
     * expire by themselves.
     */
    default void forget(String name) {}

    @Override
    void close();
}
