package dev.sluice.rules;

import dev.sluice.Limit;
import dev.sluice.rules.match.Condition;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Other limits for some of the keys of a rule, from the rule file.
 *
 * @param when the conditions, all of which a request must meet
 * @param limits the limits in place of the rule's; none for unlimited
 */
public record RuleOverride(List<Condition> when, List<Limit> limits) {
    private static final int MAX_NAME = 48;
    private static final int SHORTENED = 32;

    public RuleOverride {
        when = List.copyOf(when);
        limits = List.copyOf(limits);
        if (when.isEmpty()) {
            throw new IllegalArgumentException("an override must have at least one condition");
        }
    }

    /**
     * The name of its limiter, such as {@code rule/ip=198.51.100.0/24}. It is made of the conditions and not of the place
     * in the list, so that the counts stay when another override is put before it.
     */
    String limiterName(Rule rule) {
        String text = when.stream()
                .map(condition -> condition.toString().replace(": ", "="))
                .collect(Collectors.joining(","));
        return rule.name() + "/"
                + (text.length() <= MAX_NAME ? text : text.substring(0, SHORTENED) + "~" + Digest.of(text, 8));
    }
}
