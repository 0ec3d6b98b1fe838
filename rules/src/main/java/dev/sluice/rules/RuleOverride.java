package dev.sluice.rules;

import dev.sluice.Limit;
import dev.sluice.rules.match.Condition;
import java.util.List;

/**
 * Other limits for some of the keys of a rule, from the rule file.
 *
 * @param when the conditions, all of which a request must meet
 * @param limits the limits in place of the rule's; none for unlimited
 */
public record RuleOverride(List<Condition> when, List<Limit> limits) {
    public RuleOverride {
        when = List.copyOf(when);
        limits = List.copyOf(limits);
        if (when.isEmpty()) {
            throw new IllegalArgumentException("an override must have at least one condition");
        }
    }
}
