package dev.sluice.bench.core;

/**
 * Keeps a benchmark honest: one call that took the other path fails it, so that no number is ever an average over
 * both. Costs one well-predicted branch, in every benchmark and every floor alike.
 */
public final class Expect {
    private Expect() {}

    public static boolean allowed(boolean allowed) {
        if (!allowed) {
            throw new IllegalStateException("denied, where the benchmark measures only allowed calls");
        }
        return true;
    }

    public static boolean denied(boolean allowed) {
        if (allowed) {
            throw new IllegalStateException("allowed, where the benchmark measures only denied calls");
        }
        return false;
    }
}
