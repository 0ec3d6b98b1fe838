package dev.sluice.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a request would get the verdict it would get now.
 *
 * @param verdict what it would be told; nothing was taken
 * @param rules every rule, in order
 */
public record Explanation(Verdict verdict, List<Considered> rules) {
    /**
     * One rule and the request.
     *
     * @param applies whether it applies
     * @param reason why, or why not
     * @param override which of its overrides counts, from 1; 0 if none
     * @param decision what it says; null if it does not apply or is unlimited
     * @param remedy what would let the request through, if this rule stands in its way; else empty
     */
    public record Considered(
            Rule rule,
            boolean applies,
            String reason,
            int override,
            @Nullable RuleDecision decision,
            String remedy) {}
}
