package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Limiter;

/**
 * The decision of one rule on a request.
 *
 * @param rule the rule
 * @param limiterName the name of the limiter: that of the rule, or of an override of it
 * @param key the key that was charged
 * @param share the percentage of the limits that the class of the request may use
 * @param limiter the limiter that decided
 * @param decision the limiter's decision; a shadow rule has {@link dev.sluice.Outcome#SHADOWED} in place of a denial, and
 *     a rule that degrades has a denial although the request goes ahead
 */
public record RuleDecision(Rule rule, String limiterName, String key, int share, Limiter limiter, Decision decision) {
    /** Whether it denies the request. */
    public boolean denies() {
        return rule.enforces() && !decision.allowed();
    }

    /** Whether it makes the request do with less. */
    public boolean degrades() {
        return rule.onExceed().action() == OnExceed.Action.DEGRADE && !decision.allowed();
    }

    /** The part of the limit that is left, in millionths. */
    long remainingShare() {
        return decision.limit() == 0 ? 0 : (long) (1e6 * decision.remaining() / decision.limit());
    }
}
