package dev.sluice.spring;

import dev.sluice.Store;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.RuleSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All rules of the application: those from its configuration, and those made from annotations. */
public final class RuleRegistry {
    private record Annotated(Rule rule, String where) {}

    private final Map<String, Annotated> annotated = new LinkedHashMap<>();
    private final RuleEngine engine;
    private RuleSet configured;
    private volatile WebRules web;

    public RuleRegistry(Store store, RuleSet configured) {
        this.configured = configured;
        this.web = new WebRules(configured);
        this.engine = new RuleEngine(store, web.rules());
    }

    /** The engine that decides by these rules. */
    public RuleEngine engine() {
        return engine;
    }

    /** The configured rules, as the web filters check them. */
    public WebRules web() {
        return web;
    }

    /** The rules from the configuration. */
    public synchronized RuleSet configured() {
        return configured;
    }

    /** Replaces the rules from the configuration. Rules of the same name keep their counts. */
    public synchronized void replace(RuleSet rules) {
        annotated.values().forEach(each -> requireFree(rules, each.rule.name(), each.where));
        apply(rules);
    }

    /**
     * Adds the rule of an annotation, or replaces the rule added before from the same place.
     *
     * @param where the method or class with the annotation
     */
    public synchronized void add(Rule rule, String where) {
        Annotated before = annotated.get(rule.name());
        if (before != null && before.where.equals(where) && before.rule.equals(rule)) {
            return;
        }
        if (before != null && !before.where.equals(where)) {
            throw new RateLimitConfigurationException(where + ": the name '" + rule.name()
                    + "' is taken by the limit of " + before.where + "; give one of them another name = \"...\"");
        }
        requireFree(configured, rule.name(), where);
        annotated.put(rule.name(), new Annotated(rule, where));
        apply(configured);
    }

    /** The rule of this name; null if there is none. */
    public @Nullable Rule rule(String name) {
        for (Rule rule : engine.rules().rules()) {
            if (rule.name().equals(name)) {
                return rule;
            }
        }
        return null;
    }

    /** The message for a name that no rule has. */
    public String unknownRule(String name) {
        String names = configured().rules().stream().map(Rule::name).collect(Collectors.joining(", "));
        return "there is no rule named '" + name + "'; " + (names.isEmpty() ? "there are none" : "known are " + names);
    }

    private static void requireFree(RuleSet rules, String name, String where) {
        if (rules.rules().stream().anyMatch(rule -> rule.name().equals(name))) {
            throw new RateLimitConfigurationException(
                    where + ": the name '" + name + "' is taken by a rule; say rule = \"" + name
                            + "\" to use that rule, or give the limit another name = \"...\"");
        }
    }

    private void apply(RuleSet rules) {
        WebRules next = new WebRules(rules);
        List<Rule> all = new ArrayList<>(next.rules().rules());
        annotated.values().forEach(each -> all.add(each.rule));
        engine.apply(rules.withRules(all));
        configured = rules;
        web = next;
    }
}
