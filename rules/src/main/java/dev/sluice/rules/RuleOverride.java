package dev.sluice.rules;

import dev.sluice.Limit;
import dev.sluice.rules.match.Condition;
import java.util.List;

/**
 * Other limits for some of the keys of a rule.
 *
 * @param when which: all of these hold
 * @param limits instead of the rule's; none for unlimited
 */
public record RuleOverride(List<Condition> when, List<Limit> limits) {
    public RuleOverride {
        when = List.copyOf(when);
        limits = List.copyOf(limits);
        if (when.isEmpty()) {
            throw new IllegalArgumentException("an override says for whom it is");
        }
    }
}
