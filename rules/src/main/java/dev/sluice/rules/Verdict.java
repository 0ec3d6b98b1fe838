package dev.sluice.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of all rules together to a request.
 *
 * @param allowed whether it may go ahead
 * @param degraded whether it should make do with less
 * @param decisions the decision of each rule that applies, in the order of the rules; unlimited rules make none
 * @param decisive the decision that denies for longest, else the one with the least left of its limit, shadows last; null
 *     if no rule applies
 */
public record Verdict(
        boolean allowed,
        boolean degraded,
        List<RuleDecision> decisions,
        @Nullable RuleDecision decisive) {
    public Verdict {
        decisions = List.copyOf(decisions);
    }

    /** No rule applies. */
    public static final Verdict FREE = new Verdict(true, false, List.of(), null);

    /** How long to wait before starting the work, in microseconds; more than zero only for limits that queue. */
    public long delayMicros() {
        long delay = 0;
        for (int i = 0; i < decisions.size(); i++) {
            delay = Math.max(delay, decisions.get(i).decision().delayMicros());
        }
        return allowed ? delay : 0;
    }

    /** The verdict that follows from {@code decisions}. */
    public static Verdict of(List<RuleDecision> decisions) {
        if (decisions.isEmpty()) {
            return FREE;
        }
        boolean allowed = true;
        boolean degraded = false;
        RuleDecision decisive = decisions.get(0);
        for (int i = 0; i < decisions.size(); i++) {
            RuleDecision decision = decisions.get(i);
            allowed &= !decision.denies();
            degraded |= decision.degrades();
            if (i > 0 && weighsMore(decision, decisive)) {
                decisive = decision;
            }
        }
        return new Verdict(allowed, degraded && allowed, decisions, decisive);
    }

    private static boolean weighsMore(RuleDecision one, RuleDecision other) {
        int difference = weight(one) - weight(other);
        if (difference != 0) {
            return difference > 0;
        }
        return one.denies()
                ? one.decision().retryAfterMicros() > other.decision().retryAfterMicros()
                : one.remainingShare() < other.remainingShare();
    }

    private static int weight(RuleDecision decision) {
        if (decision.denies()) {
            return 3;
        }
        return decision.degrades() ? 2 : decision.rule().onExceed().action() == OnExceed.Action.SHADOW ? 0 : 1;
    }
}
