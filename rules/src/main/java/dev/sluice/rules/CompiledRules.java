package dev.sluice.rules;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Condition;
import dev.sluice.rules.match.Index;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rules in force, made ready: never changed, only replaced. */
final class CompiledRules {
    final RuleSet rules;
    final List<CompiledRule> gates;
    final Index index;
    final Map<String, NamedLimiter> counters;
    /** Whether a rule asks for the region of a request. */
    final boolean asksRegion;

    private final Map<String, CompiledRule> byName = new HashMap<>();

    private CompiledRules(RuleSet rules, List<CompiledRule> gates, Map<String, NamedLimiter> counters) {
        this.rules = rules;
        this.gates = gates;
        this.counters = counters;
        this.index = Index.of(rules.rules().stream().map(Rule::when).toList());
        this.asksRegion = rules.geo() != null && rules.rules().stream().anyMatch(CompiledRules::asksRegion);
        gates.forEach(gate -> byName.put(gate.rule.name(), gate));
    }

    /** The rules on {@code store}, with what was counted under the same names before. */
    static CompiledRules of(RuleSet rules, Store store, Map<String, NamedLimiter> before) {
        Map<String, NamedLimiter> counters = new HashMap<>();
        List<CompiledRule> gates = new ArrayList<>();
        for (Rule rule : rules.rules()) {
            NamedLimiter own = counter(rule.name(), rule, rule.limits(), store, before, counters);
            List<@Nullable NamedLimiter> overriding = new ArrayList<>();
            for (RuleOverride override : rule.overrides()) {
                String name = OverrideNames.of(rule, override);
                overriding.add(counter(name, rule, override.limits(), store, before, counters));
            }
            gates.add(new CompiledRule(rule, own, overriding));
        }
        return new CompiledRules(rules, List.copyOf(gates), counters);
    }

    private static @Nullable NamedLimiter counter(
            String name,
            Rule rule,
            List<Limit> limits,
            Store store,
            Map<String, NamedLimiter> before,
            Map<String, NamedLimiter> counters) {
        if (limits.isEmpty()) {
            return null;
        }
        if (counters.containsKey(name)) {
            throw new IllegalArgumentException("two counters are named " + Quoted.quoted(name));
        }
        NamedLimiter counter = carried(before.get(name), store, name, rule.onStoreFailure(), limits);
        counters.put(name, counter);
        return counter;
    }

    private static NamedLimiter carried(
            @Nullable NamedLimiter old, Store store, String name, OnFailure onFailure, List<Limit> limits) {
        Limit[] wanted = limits.toArray(Limit[]::new);
        if (old == null || old.onFailure != onFailure) {
            return new NamedLimiter(name, store.limiter(name, onFailure, wanted), onFailure, limits);
        }
        Limiter limiter = old.limiter;
        if (!limiter.limits().equals(limits)) {
            limiter.change(wanted);
        }
        return new NamedLimiter(name, limiter, onFailure, limits);
    }

    private static boolean asksRegion(Rule rule) {
        return rule.key().contains(Attributes.REGION)
                || asksRegion(rule.when())
                || rule.overrides().stream().anyMatch(override -> asksRegion(override.when()));
    }

    private static boolean asksRegion(List<Condition> conditions) {
        return conditions.stream().anyMatch(condition -> condition.attribute().equals(Attributes.REGION));
    }

    @Nullable
    CompiledRule gate(String rule) {
        return byName.get(rule);
    }

    /** The request with its region, if a rule asks for it and it can be found. */
    Request located(Request request) {
        GeoDatabase geo = rules.geo();
        if (!asksRegion || geo == null || request.attribute(Attributes.REGION) != null) {
            return request;
        }
        String ip = request.attribute(Attributes.IP);
        String region = ip == null ? null : geo.region(ip);
        return region == null ? request : request.with(Attributes.REGION, region);
    }
}
