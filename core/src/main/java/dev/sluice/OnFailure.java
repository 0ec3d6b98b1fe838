package dev.sluice;

/** How a limiter decides while Redis does not answer. */
public enum OnFailure {
    /** Every request may go ahead. */
    ALLOW,
    /** No request may go ahead. */
    DENY,
    /** This process enforces the limit by itself, from zero: a fleet of n may admit n times the limit. */
    LOCAL
}
