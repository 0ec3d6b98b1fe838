package dev.sluice.spring;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;

/**
 * A call was over its limit and did not run.
 *
 * <p>A web application answers it with 429, unless an {@code @ExceptionHandler} of its own does. It has no stack trace,
 * because it is thrown often and says nothing about the code.
 */
public final class RateLimitedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Verdict verdict;
    private final transient RuleDecision ruleDecision;

    public RateLimitedException(Verdict verdict, RuleDecision ruleDecision) {
        super(message(ruleDecision), null, false, false);
        this.verdict = verdict;
        this.ruleDecision = ruleDecision;
    }

    private static String message(RuleDecision ruleDecision) {
        Decision decision = ruleDecision.decision();
        String when = decision.outcome() == Outcome.NEVER
                ? "it asks for " + decision.permits() + ", which can never be granted"
                : decision.retryAfterMicros() == Decision.NEVER_MICROS
                        ? "try again when permits are given back"
                        : "try again in " + decision.retryAfter().toMillis() + " ms";
        return "over the limit of " + ruleDecision.rule().name() + ": " + decision.remaining() + " of "
                + decision.limit() + " left; " + when;
    }

    /** The decision of the rule that denies for longest. */
    public Decision decision() {
        return ruleDecision.decision();
    }

    /** The name of that rule or annotation. */
    public String rule() {
        return ruleDecision.rule().name();
    }

    /** The key that is over the limit. */
    public String key() {
        return ruleDecision.key();
    }

    /** The verdict of all rules that apply. */
    public Verdict verdict() {
        return verdict;
    }
}
