package dev.sluice.spring;

import dev.sluice.Store;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.RuleSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All rules of the application: those it was given, and those that annotations make. */
public final class RuleRegistry {
    private record Annotated(Rule rule, String where) {}

    private final Map<String, Annotated> annotated = new LinkedHashMap<>();
    private final RuleEngine engine;
    private RuleSet given;
    private volatile WebRules web;

    public RuleRegistry(Store store, RuleSet given) {
        this.given = given;
        this.web = WebRules.of(given);
        this.engine = new RuleEngine(store, web.rules());
    }

    /** What decides by these rules. */
    public RuleEngine engine() {
        return engine;
    }

    /** The rules as the filters ask them. */
    public WebRules web() {
        return web;
    }

    /** The rules that were given, as they were. */
    public synchronized RuleSet given() {
        return given;
    }

    /** Puts others in place of those that were given, with what was counted under the same names. */
    public synchronized void replace(RuleSet rules) {
        annotated.values().forEach(each -> requireFree(rules, each.rule.name(), each.where));
        apply(rules);
    }

    /**
     * Adds the rule of an annotation, or puts it in place of the one from there before.
     *
     * @param where the method or class it is on
     */
    public synchronized void add(Rule rule, String where) {
        Annotated before = annotated.get(rule.name());
        if (before != null && before.where.equals(where) && before.rule.equals(rule)) {
            return;
        }
        if (before != null && !before.where.equals(where)) {
            throw new RateLimitConfigurationException(where + ": its limit would be named '" + rule.name()
                    + "' as that of " + before.where + " is; give one of them another name = \"...\"");
        }
        requireFree(given, rule.name(), where);
        annotated.put(rule.name(), new Annotated(rule, where));
        apply(given);
    }

    /** The rule of a name, or null if there is none. */
    public @Nullable Rule rule(String name) {
        for (Rule rule : engine.rules().rules()) {
            if (rule.name().equals(name)) {
                return rule;
            }
        }
        return null;
    }

    private static void requireFree(RuleSet rules, String name, String where) {
        if (rules.rules().stream().anyMatch(rule -> rule.name().equals(name))) {
            throw new RateLimitConfigurationException(where + ": its limit would be named '" + name
                    + "' as a rule is; say rule = \"" + name + "\" to use that, or give it another name = \"...\"");
        }
    }

    private void apply(RuleSet rules) {
        WebRules next = WebRules.of(rules);
        List<Rule> all = new ArrayList<>(next.rules().rules());
        annotated.values().forEach(each -> all.add(each.rule));
        engine.apply(new RuleSet(rules.store(), all, rules.trustedProxies(), rules.geo()));
        given = rules;
        web = next;
    }
}
