package dev.sluice;

/** What became of a request, and why. */
public enum Outcome {
    /** Admitted and charged. */
    ALLOWED,
    /** Over the limit at this moment. */
    DENIED,
    /** Asks for more than the limit can ever grant: no wait will help. */
    NEVER,
    /** Within the limit, but denied at random because the limit is nearly used up. */
    SHED,
    /** Over the limit, but admitted without a charge because the limiter is a shadow. */
    SHADOWED
}
