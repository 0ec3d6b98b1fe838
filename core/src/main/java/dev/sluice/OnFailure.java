package dev.sluice;

/** What a limiter says while Redis does not answer. */
public enum OnFailure {
    /** Everything may go ahead. */
    ALLOW,
    /** Nothing may. */
    DENY,
    /** This process keeps the limit by itself, from zero: a fleet of n may let through n times the limit. */
    LOCAL
}
