package dev.sluice.spring.web;

import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.util.ArrayList;
import java.util.List;

/** What became of a request, for those who come after the filter. */
public final class RateLimitAttributes {
    /** The attribute of a request, or of an exchange, that holds the {@link Verdict} on it. */
    public static final String VERDICT = "dev.sluice.verdict";

    static final String REFUNDED = "dev.sluice.refunded";

    private RateLimitAttributes() {}

    /** Two verdicts on one request, of which the first allowed it. */
    static Verdict both(Verdict first, Verdict second) {
        if (first.decisions().isEmpty() || second.decisions().isEmpty()) {
            return first.decisions().isEmpty() ? second : first;
        }
        List<RuleDecision> rulings = new ArrayList<>(first.decisions());
        rulings.addAll(second.decisions());
        return Verdict.of(rulings);
    }
}
