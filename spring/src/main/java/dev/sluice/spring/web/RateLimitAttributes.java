package dev.sluice.spring.web;

/** Names of the attributes that the filter leaves in a servlet request or a WebFlux exchange. */
public final class RateLimitAttributes {
    /** The {@link dev.sluice.rules.Verdict} on the request. */
    public static final String VERDICT = "dev.sluice.verdict";

    /** What the request took before its user was known; a later denial gives it back. */
    static final String CHARGE = "dev.sluice.charge";

    /** The verdicts on the request and on annotated calls within it, as the response shows them. */
    static final String SHOWN = "dev.sluice.shown";

    /** Set when the response became a refusal. */
    static final String REFUSED = "dev.sluice.refused";

    private RateLimitAttributes() {}
}
