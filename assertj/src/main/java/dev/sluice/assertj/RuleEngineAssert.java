package dev.sluice.assertj;

import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.engine.RuleEngine;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;

/** Assertions on the rules of an engine. */
public final class RuleEngineAssert extends AbstractAssert<RuleEngineAssert, RuleEngine> {
    RuleEngineAssert(RuleEngine engine) {
        super(engine, RuleEngineAssert.class);
    }

    /** Names a rule. */
    public RuleAssert rule(String name) {
        isNotNull();
        if (actual.rules().rules().stream().noneMatch(rule -> rule.name().equals(name))) {
            throw failure(
                    "expected a rule named '%s', there are [%s]",
                    name, actual.rules().rules().stream().map(Rule::name).collect(Collectors.joining(", ")));
        }
        return new RuleAssert(actual, name);
    }

    /** Assertions on one rule. */
    public static final class RuleAssert extends AbstractAssert<RuleAssert, RuleEngine> {
        private final String rule;

        RuleAssert(RuleEngine engine, String rule) {
            super(engine, RuleAssert.class);
            this.rule = rule;
        }

        /**
         * Names a key: the value of the rule's attribute, such as {@code 203.0.113.9}, as {@code explain} and the Actuator
         * write it; an empty one for a rule without a key.
         */
        public LimiterAssert key(String key) {
            RuleDecision found = actual.inspect(rule, key).join();
            if (found == null) {
                throw failure(
                        "expected that rule '%s' limits the key '%s', but the rule is unlimited for it, or this is not one "
                                + "of its keys",
                        rule, key);
            }
            return new LimiterAssert(found.limiter(), found.key(), "rule '" + rule + "'");
        }
    }
}
