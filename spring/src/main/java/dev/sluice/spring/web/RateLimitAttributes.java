package dev.sluice.spring.web;

/** Names of the attributes that the filter leaves in a servlet request or a WebFlux exchange. */
public final class RateLimitAttributes {
    /** The {@link dev.sluice.rules.Verdict} on the request. */
    public static final String VERDICT = "dev.sluice.verdict";

    /** Set when a later rule denied the request, and so everything was given back. */
    static final String REFUNDED = "dev.sluice.refunded";

    private RateLimitAttributes() {}
}
