package dev.sluice.rules;

import dev.sluice.rules.match.Condition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on the attribute {@code status}, which is about the response and so is not there yet when a request is checked.
 * Rules are checked without them; what becomes of the charge is decided when the status is known.
 */
public final class StatusConditions {
    /** The name of the attribute. */
    public static final String STATUS = "status";

    private final RuleSet others;
    private final Map<String, List<Condition>> byRule = new HashMap<>();

    private StatusConditions(RuleSet rules, @Nullable UnderWay underWay) {
        List<Rule> without = new ArrayList<>();
        for (Rule rule : rules.rules()) {
            without.add(without(rule, underWay));
        }
        this.others = rules.withRules(without);
    }

    /** The conditions on the status in {@code rules}, which are charged beforehand. */
    public static StatusConditions of(RuleSet rules) {
        return new StatusConditions(rules, null);
    }

    /**
     * The conditions on the status in {@code rules}, which are charged when the status is known.
     *
     * @param underWay how many requests may be under way until then
     * @throws IllegalArgumentException if a rule with such a condition cannot be charged afterwards
     */
    public static StatusConditions of(RuleSet rules, UnderWay underWay) {
        return new StatusConditions(rules, underWay);
    }

    private Rule without(Rule rule, @Nullable UnderWay underWay) {
        List<Condition> onStatus = new ArrayList<>();
        List<Condition> when = new ArrayList<>();
        for (Condition condition : rule.when()) {
            (condition.attribute().equals(STATUS) ? onStatus : when).add(condition);
        }
        if (onStatus.isEmpty()) {
            return rule;
        }
        byRule.put(rule.name(), onStatus);
        return new Rule(
                rule.name(),
                when,
                rule.key(),
                rule.missingKey(),
                rule.limits(),
                rule.onExceed(),
                rule.onStoreFailure(),
                rule.batch(),
                rule.lease(),
                rule.priority(),
                rule.shedFrom(),
                rule.overrides(),
                rule.ipv6Prefix(),
                underWay);
    }

    /** The rules without these conditions: those to check a request by. */
    public RuleSet rules() {
        return others;
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return byRule.isEmpty();
    }

    /** Whether a rule has a condition on the status. */
    public boolean has(String rule) {
        return byRule.containsKey(rule);
    }

    /** Whether a status meets the conditions of a rule; true if it has none. */
    public boolean matches(String rule, int status) {
        List<Condition> onStatus = byRule.get(rule);
        return onStatus == null || onStatus.stream().allMatch(condition -> condition.matches(Integer.toString(status)));
    }
}
