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
     * The same; where the store is a server, permits of keys that are asked for very often may be fetched ahead and spent
     * in this process. A store in this JVM has no use for that.
     */
    default Limiter batchedLimiter(String name, OnFailure onFailure, Limit... limits) {
        return limiter(name, onFailure, limits);
    }

    /**
     * Charges several limiters of this store for one request: all of them or none, in one step that nobody sees half of.
     * When one denies, nothing is taken, and the decisions of the others say how they stand without the request, or that
     * they deny it too. Two charges to the same key of a limiter add up. A shadow limiter never denies, and is charged if
     * it admits and all others do.
     *
     * <p>The store in this JVM also charges limiters of {@link Limiter#builder} on the same clock. A store that cannot do
     * it in one step says so, and what others may see meanwhile. A future that its owner completes or cancels before it is
     * decided takes nothing.
     *
     * @return the decisions, in the order of the charges
     * @throws IllegalArgumentException if a limiter is not of this store; then nothing was taken
     */
    CompletableFuture<List<Decision>> decideAll(List<Charge> charges);

    /** How much memory of this process the store takes for its counters. */
    default StoreUsage usage() {
        return StoreUsage.NONE;
    }

    /**
     * Forgets a limiter that is not used any more, with its counters. Counters that are shared with other processes
     * expire by themselves.
     */
    default void forget(String name) {}

    /**
     * Forgets all that was counted, as if the store had just been made: for tests, between one and the next. Limiters that
     * the store made stay in use. Those who wait are denied, permits that are held are held no longer, and the clock may be
     * set back meanwhile.
     *
     * @throws UnsupportedOperationException if the counters are shared with other processes
     */
    default void reset() {
        throw new UnsupportedOperationException("only a store in this process forgets everything: reset single keys");
    }

    /**
     * Frees what the store uses. A store in this JVM ends the waits on its limiters: those who wait are denied at once,
     * and so is whoever would have to wait later; calls that do not wait are decided as before. What the limiters of
     * another store do then is for it to say.
     */
    @Override
    void close();
}
