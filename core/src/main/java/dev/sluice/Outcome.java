package dev.sluice;

/** Why a {@link Decision} is what it is. */
public enum Outcome {
    /** Admitted, and charged. */
    ALLOWED,
    /** Over the limit at this moment. */
    DENIED,
    /** Asks for more than the limit can ever grant: no wait will help. */
    NEVER,
    /** Within the limit, but turned away early because the limit is nearly used up. */
    SHED,
    /** Over the limit, and let through uncharged because the limiter only watches. */
    SHADOWED
}
