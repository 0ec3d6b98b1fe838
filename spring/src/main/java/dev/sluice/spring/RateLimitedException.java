package dev.sluice.spring;

import dev.sluice.Decision;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;

/**
 * A call was over its limit and did not run.
 *
 * <p>In a web application it is answered with 429, unless an {@code @ExceptionHandler} of yours does. It has no stack
 * trace: it says what the limiter said, and that happens often.
 */
public final class RateLimitedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Verdict verdict;
    private final transient RuleDecision ruling;

    public RateLimitedException(Verdict verdict, RuleDecision ruling) {
        super(message(ruling), null, false, false);
        this.verdict = verdict;
        this.ruling = ruling;
    }

    private static String message(RuleDecision ruling) {
        Decision decision = ruling.decision();
        String when = decision.never()
                ? "it asks for " + decision.permits() + ", which can never be granted"
                : decision.retryAfterMicros() == Decision.NEVER_MICROS
                        ? "try again when permits are given back"
                        : "try again in " + decision.retryAfter().toMillis() + " ms";
        return "over the limit of " + ruling.rule().name() + ": " + decision.remaining() + " of " + decision.limit()
                + " left; " + when;
    }

    /** The answer of the rule that denied for longest. */
    public Decision decision() {
        return ruling.decision();
    }

    /** The name of that rule, or what the annotation goes by. */
    public String rule() {
        return ruling.rule().name();
    }

    /** The key that was counted for. */
    public String key() {
        return ruling.key();
    }

    /** What all that apply say. */
    public Verdict verdict() {
        return verdict;
    }
}
