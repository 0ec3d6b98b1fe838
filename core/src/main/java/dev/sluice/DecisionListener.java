package dev.sluice;

/**
 * Called with every decision of a limiter, on the thread that makes it; after a wait, on the thread that ends it. Keep it
 * quick.
 */
@FunctionalInterface
public interface DecisionListener {
    /**
     * One decision was made. What is thrown here, an {@code Error} too, is logged and goes no further: the permits are
     * taken, so the caller must get the decision.
     */
    void decided(String key, Decision decision);
}
