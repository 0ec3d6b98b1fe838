package dev.sluice.spring.web;

/** Names of the attributes that the filter leaves in a servlet request or a WebFlux exchange. */
public final class RateLimitAttributes {
    /** The {@link dev.sluice.rules.Verdict} on the request. */
    public static final String VERDICT = "dev.sluice.verdict";

    /** Set when a later rule denied the request, and so everything was given back. */
    static final String REFUNDED = "dev.sluice.refunded";

    /** The verdicts on the request and on annotated calls within it, as the response shows them. */
    static final String SHOWN = "dev.sluice.shown";

    /** Set when the response became a refusal. */
    static final String REFUSED = "dev.sluice.refused";

    private RateLimitAttributes() {}
}
