package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import org.jspecify.annotations.Nullable;

/**
 * The decision of one rule on a request.
 *
 * @param rule the rule
 * @param limiterName the name of the limiter: that of the rule, or of an override of it
 * @param key the key that was charged
 * @param share the percentage of the limits that the class of the request may use
 * @param limiter the limiter that decided
 * @param policy its limits as {@code RateLimit-Policy} shows them
 * @param decision the limiter's decision; a shadow rule has {@link dev.sluice.Outcome#SHADOWED} in place of a denial, and
 *     a rule that degrades has a denial although the request goes ahead
 * @param place the place of the request among those that are under way; null if the rule needs none
 */
public record RuleDecision(
        Rule rule,
        String limiterName,
        String key,
        int share,
        Limiter limiter,
        String policy,
        Decision decision,
        @Nullable Place place) {
    /** Whether it denies the request. */
    public boolean denies() {
        return rule.enforces() && !decision.allowed();
    }

    /** Whether it makes the request do with less. */
    public boolean degrades() {
        return rule.onExceed().action() == OnExceed.Action.DEGRADE && !decision.allowed();
    }

    /** Whether the rule is to be charged when it is known what became of the request. */
    public boolean isChargedLater() {
        return rule.underWay() != null && decision.outcome() == Outcome.ALLOWED && !isTaken();
    }

    /** Whether permits were taken: a decision that only looked took none. */
    public boolean isTaken() {
        return decision.outcome() == Outcome.ALLOWED
                && !(decision instanceof LimiterDecision made && made.charged() == 0);
    }

    /** The same with another decision of its limiter. */
    public RuleDecision withDecision(Decision decision) {
        return new RuleDecision(rule, limiterName, key, share, limiter, policy, decision, place);
    }

    /** The same for a request that has a place, or none. */
    public RuleDecision withPlace(@Nullable Place place) {
        return new RuleDecision(rule, limiterName, key, share, limiter, policy, decision, place);
    }

    /** The part of the limit that is left, in millionths. */
    long remainingShare() {
        return decision.limit() == 0 ? 0 : (long) (1e6 * decision.remaining() / decision.limit());
    }
}
