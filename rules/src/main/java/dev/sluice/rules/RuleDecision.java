package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Limiter;

/**
 * What one rule says about a request.
 *
 * @param rule the rule
 * @param limiterName the name of its limiter: the rule's name, or that of an override of it
 * @param key the key it counted for
 * @param share how many percent of the limits this request could use
 * @param limiter what decided
 * @param decision the answer; of a rule that only watches {@link dev.sluice.Outcome#SHADOWED} in place of a denial, of
 *     one that degrades a denial although the request goes ahead
 */
public record RuleDecision(Rule rule, String limiterName, String key, int share, Limiter limiter, Decision decision) {
    /** Whether it stands in the way of the request. */
    public boolean denies() {
        return rule.enforces() && !decision.allowed();
    }

    /** Whether it makes the request do with less. */
    public boolean degrades() {
        return rule.onExceed().action() == OnExceed.Action.DEGRADE && !decision.allowed();
    }

    /** How much of the limit is left, in parts of a million. */
    long remainingShare() {
        return decision.limit() == 0 ? 0 : (long) (1e6 * decision.remaining() / decision.limit());
    }
}
