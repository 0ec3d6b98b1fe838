package dev.sluice.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a request would get its verdict now.
 *
 * @param verdict the verdict that it would get; nothing was taken
 * @param rules every rule, in order
 */
public record Explanation(Verdict verdict, List<Considered> rules) {
    /**
     * What one rule does with the request.
     *
     * @param applies whether it applies
     * @param reason why, or why not
     * @param override the number of the override that counts, from 1; 0 if none does
     * @param decision its decision; null if it does not apply or is unlimited
     * @param remedy what would let the request through, if this rule denies it; else empty
     */
    public record Considered(
            Rule rule,
            boolean applies,
            String reason,
            int override,
            @Nullable RuleDecision decision,
            String remedy) {}
}
