package dev.sluice.rules;

/** Is called with every verdict, on the thread that completes it. Keep it quick. */
@FunctionalInterface
public interface VerdictListener {
    /** A verdict was given. An exception thrown here is logged and goes no further. */
    void decided(Request request, Verdict verdict);
}
