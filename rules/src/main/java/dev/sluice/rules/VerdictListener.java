package dev.sluice.rules;

/** Told of every verdict, on the thread that ends it. Keep it quick. */
@FunctionalInterface
public interface VerdictListener {
    /** One verdict was given. An exception thrown here is logged and goes no further. */
    void decided(Request request, Verdict verdict);
}
