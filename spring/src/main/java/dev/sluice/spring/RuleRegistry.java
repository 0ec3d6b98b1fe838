package dev.sluice.spring;

import dev.sluice.Store;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.RuleVersion.Origin;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All rules of the application: those from its configuration, and those made from annotations.
 *
 * <p>While rate limiting is off, every rule is unlimited, and there is a rule of every name that is asked for: so whatever
 * uses rules can be made and used, and nothing is limited.
 */
public final class RuleRegistry {
    private record Annotated(Rule rule, String where) {}

    /** A rule from the configuration that something else uses by its name. */
    private record Use(String rule, String where) {}

    private final Map<String, Annotated> annotated = new LinkedHashMap<>();
    private final Map<Use, Consumer<Rule>> uses = new LinkedHashMap<>();
    private final boolean enabled;
    private final RuleHistory history;
    private final RuleEngine engine;
    private final WebSettings settings;
    private RuleSet configured;
    private volatile WebRules web;
    private final List<LimitedCallListener> listeners = new CopyOnWriteArrayList<>();

    /** A registry with an engine of its own that counts in {@code store}. */
    public RuleRegistry(Store store, RuleSet configured) {
        this(store, configured, WebSettings.DEFAULT);
    }

    /** The same, with settings for web requests. */
    public RuleRegistry(Store store, RuleSet configured, WebSettings settings) {
        this(true, configured, settings, rules -> new RuleEngine(store, rules));
    }

    RuleRegistry(boolean enabled, RuleSet configured, WebSettings settings, Function<RuleSet, RuleEngine> engine) {
        this.enabled = enabled;
        this.configured = configured;
        this.settings = settings;
        this.history = new RuleHistory(InstantSource.system(), configured);
        this.web = new WebRules(configured, settings);
        this.engine = engine.apply(effective(web.rules()));
    }

    /** Whether rate limiting is on. */
    public boolean isEnabled() {
        return enabled;
    }

    /** The engine that decides by these rules. */
    public RuleEngine engine() {
        return engine;
    }

    /** Adds a listener to every call and request that goes ahead under a rule. */
    public void listener(LimitedCallListener listener) {
        listeners.add(listener);
    }

    /** A call goes ahead by a verdict. Returns what is to hear of its end. */
    public LimitedCallListener.Ending began(LimitedCallListener.Kind kind, Verdict verdict) {
        if (listeners.isEmpty() || !verdict.allowed() || verdict.decisions().isEmpty()) {
            return LimitedCallListener.Ending.NONE;
        }
        List<LimitedCallListener.Ending> endings = new ArrayList<>(listeners.size());
        listeners.forEach(listener -> endings.add(listener.began(kind, verdict)));
        return result -> endings.forEach(ending -> ending.ended(result));
    }

    /** The configured rules, as the web filters check them. */
    public WebRules web() {
        return web;
    }

    /** The rules from the configuration. */
    public synchronized RuleSet configured() {
        return configured;
    }

    /** All rules, those from the configuration first, as they were written. */
    public synchronized List<Rule> rules() {
        List<Rule> all = new ArrayList<>(configured.rules());
        annotated.values().forEach(each -> all.add(each.rule));
        return all;
    }

    /** The method, class or route that a rule was made from; empty for a rule from the configuration. */
    public synchronized Optional<String> madeFrom(String rule) {
        return Optional.ofNullable(annotated.get(rule)).map(Annotated::where);
    }

    // ---- Changing the rules from the configuration

    /**
     * Replaces the rules from the configuration. Rules of the same name keep their counts.
     *
     * @throws RateLimitConfigurationException if the rules have the name of an annotation's limit, or lack a rule that
     *     something uses by its name; then the rules stay as they were
     */
    public void replace(RuleSet rules) {
        replace(rules, Origin.APPLICATION);
    }

    synchronized RuleVersion replace(RuleSet rules, Origin origin) {
        annotated.values().forEach(each -> requireFree(rules, each.rule.name(), each.where));
        requireUsed(rules);
        apply(rules);
        return history.add(origin, rules);
    }

    /**
     * Puts an earlier version in force again, as a new one.
     *
     * @throws IllegalArgumentException if it is not kept
     * @throws RateLimitConfigurationException as with {@link #replace}
     */
    public synchronized RuleVersion rollBack(long number) {
        return replace(history.version(number).rules(), Origin.ROLLBACK);
    }

    /** The last versions of the rules from the configuration, the newest first: that is the one in force. */
    public List<RuleVersion> versions() {
        return history.versions();
    }

    /** The rules that were rejected last; null if the newest are in force. */
    public @Nullable RejectedRules rejected() {
        return history.rejected();
    }

    /** How often rules were rejected. */
    public long rejections() {
        return history.rejections();
    }

    RuleHistory history() {
        return history;
    }

    // ---- What annotations, clients and routes use and add

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
        if (before == null) {
            engine.add(enabled ? rule : unlimited(rule));
            annotated.put(rule.name(), new Annotated(rule, where));
        } else {
            annotated.put(rule.name(), new Annotated(rule, where));
            apply(configured);
        }
    }

    /**
     * The rule of this name, for something that will use it from now on: rules without it are not taken any more.
     *
     * @param where what uses it
     * @param check throws a {@link RateLimitConfigurationException} if a rule of this name is not of use there; it is asked
     *     now, and again when the rules are replaced
     * @throws RateLimitConfigurationException if there is no such rule
     */
    public synchronized Rule use(String name, String where, Consumer<Rule> check) {
        Rule rule = rule(name);
        if (rule == null) {
            throw new RateLimitConfigurationException(where + ": " + unknownRule(name));
        }
        check.accept(rule);
        uses.put(new Use(name, where), check);
        return rule;
    }

    /** The rule of this name; null if there is none. */
    public @Nullable Rule rule(String name) {
        Rule found = engine.rule(name);
        return found != null || enabled ? found : made(name);
    }

    private synchronized Rule made(String name) {
        Rule unlimited = Rule.named(name).build();
        annotated.putIfAbsent(name, new Annotated(unlimited, "sluice.enabled: false"));
        apply(configured);
        return unlimited;
    }

    /** The message for a name that no rule has. */
    public String unknownRule(String name) {
        List<String> names = configured().rules().stream().map(Rule::name).toList();
        return "there is no rule named '" + name + "'"
                + (names.isEmpty() ? "; there are none" : "; known are " + String.join(", ", names));
    }

    private static @Nullable Rule find(RuleSet rules, String name) {
        for (Rule rule : rules.rules()) {
            if (rule.name().equals(name)) {
                return rule;
            }
        }
        return null;
    }

    private static void requireFree(RuleSet rules, String name, String where) {
        if (find(rules, name) != null) {
            throw new RateLimitConfigurationException(
                    where + ": the name '" + name + "' is taken by a rule; say rule = \"" + name
                            + "\" to use that rule, or give the limit another name = \"...\"");
        }
    }

    private void requireUsed(RuleSet rules) {
        Map<String, List<String>> missing = new LinkedHashMap<>();
        uses.forEach((use, check) -> {
            Rule next = find(rules, use.rule);
            if (next == null && !annotated.containsKey(use.rule)) {
                missing.computeIfAbsent(use.rule, rule -> new ArrayList<>()).add(use.where);
            } else if (next != null) {
                check.accept(next);
            }
        });
        if (!missing.isEmpty()) {
            throw new RateLimitConfigurationException(missing.entrySet().stream()
                    .map(each -> "rule '" + each.getKey() + "' is missing, and "
                            + each.getValue().stream().collect(Collectors.joining(", "))
                            + (each.getValue().size() == 1 ? " uses it" : " use it"))
                    .toList());
        }
    }

    private void apply(RuleSet rules) {
        WebRules next = new WebRules(rules, settings);
        List<Rule> all = new ArrayList<>(next.rules().rules());
        annotated.values().forEach(each -> all.add(each.rule));
        engine.apply(effective(rules.withRules(all)));
        configured = rules;
        web = next;
    }

    /** The rules as they are enforced: unlimited, while rate limiting is off. */
    private RuleSet effective(RuleSet rules) {
        return enabled
                ? rules
                : rules.withRules(
                        rules.rules().stream().map(RuleRegistry::unlimited).toList());
    }

    private static Rule unlimited(Rule rule) {
        return new Rule(
                rule.name(),
                rule.when(),
                rule.key(),
                Rule.MissingKey.SKIP,
                List.of(),
                rule.onExceed(),
                rule.onStoreFailure(),
                rule.batch(),
                rule.lease(),
                rule.priority(),
                OptionalInt.empty(),
                List.of(),
                rule.ipv6Prefix(),
                null);
    }
}
