package dev.sluice;

/**
 * Called with every decision of a limiter, on the thread that makes it; after a wait, on the thread that ends it. Keep it
 * quick.
 */
@FunctionalInterface
public interface DecisionListener {
    /** One decision was made. An exception thrown here is logged and goes no further. */
    void decided(String key, Decision decision);
}
