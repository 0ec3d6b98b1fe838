package dev.sluice;

/**
 * Called with every decision of a limiter, on the thread that makes it; after a wait, on the thread that ends it. Keep it
 * quick.
 */
@FunctionalInterface
public interface DecisionListener {
    /**
     * One decision was made. What is thrown here is logged and goes no further: the decision is returned as it was made.
     * Only a {@link VirtualMachineError} reaches the caller; permits that were taken stay taken.
     */
    void decided(String key, Decision decision);
}
