package dev.sluice;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where limiters keep what has been used, and whom they share it with. */
public interface Store extends AutoCloseable {
    /** A store in this JVM. */
    static Store local() {
        return local(Ticker.system());
    }

    /** A store in this JVM on a clock of your own. */
    static Store local(Ticker ticker) {
        return LocalProvider.get().store(ticker);
    }

    /** A limiter; of the same name, as far as the store reaches, they share their counters. */
    Limiter limiter(String name, Limit... limits);

    /** The same, with what to say while the store does not answer. */
    Limiter limiter(String name, OnFailure onFailure, Limit... limits);

    /**
     * Charges several limiters of this store for one request: all of them or none. When one denies, nothing is taken, and
     * each of the others tells how it stands without the request, or that it denies too.
     *
     * <p>A store that cannot do this in one step takes them in order and gives back what it took when one denies: never
     * are more admitted than the limits allow, but for that moment somebody else may be denied.
     */
    default CompletableFuture<List<Decision>> decideAll(List<Charge> charges) {
        return new SequentialCharge(charges).run();
    }

    /**
     * Lets go of a limiter that is not used any more. What it counted goes with it if nobody else can see it; what is
     * shared with others lapses by itself.
     */
    default void forget(String name) {}

    @Override
    void close();
}
