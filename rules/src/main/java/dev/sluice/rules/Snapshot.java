package dev.sluice.rules;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rules in force, made ready: never changed, only replaced. */
final class Snapshot {
    final RuleSet rules;
    final List<Gate> gates;
    final Index index;
    final Map<String, Counter> counters;
    /** Whether a rule asks for the region of a request. */
    final boolean asksRegion;

    private final Map<String, Gate> byName = new HashMap<>();

    private Snapshot(RuleSet rules, List<Gate> gates, Map<String, Counter> counters) {
        this.rules = rules;
        this.gates = gates;
        this.counters = counters;
        this.index = Index.of(rules.rules().stream().map(Rule::when).toList());
        this.asksRegion = rules.geo() != null && rules.rules().stream().anyMatch(Snapshot::asksRegion);
        gates.forEach(gate -> byName.put(gate.rule.name(), gate));
    }

    /** The rules on {@code store}, with what was counted under the same names before. */
    static Snapshot of(RuleSet rules, Store store, Map<String, Counter> before) {
        Map<String, Counter> counters = new HashMap<>();
        List<Gate> gates = new ArrayList<>();
        for (Rule rule : rules.rules()) {
            Counter own = counter(rule.name(), rule, rule.limits(), store, before, counters);
            List<@Nullable Counter> overriding = new ArrayList<>();
            for (KeyOverride override : rule.overrides()) {
                String name = OverrideNames.of(rule, override);
                overriding.add(counter(name, rule, override.limits(), store, before, counters));
            }
            gates.add(new Gate(rule, own, overriding));
        }
        return new Snapshot(rules, List.copyOf(gates), counters);
    }

    private static @Nullable Counter counter(
            String name,
            Rule rule,
            List<Limit> limits,
            Store store,
            Map<String, Counter> before,
            Map<String, Counter> counters) {
        if (limits.isEmpty()) {
            return null;
        }
        if (counters.containsKey(name)) {
            throw new IllegalArgumentException("two counters are named " + Texts.quoted(name));
        }
        Counter counter = carried(before.get(name), store, name, rule.onStoreFailure(), limits);
        counters.put(name, counter);
        return counter;
    }

    private static Counter carried(
            @Nullable Counter old, Store store, String name, OnFailure onFailure, List<Limit> limits) {
        Limit[] wanted = limits.toArray(Limit[]::new);
        if (old == null || old.onFailure != onFailure) {
            return new Counter(name, store.limiter(name, onFailure, wanted), onFailure, limits);
        }
        Limiter limiter = old.limiter;
        if (!limiter.limits().equals(limits)) {
            limiter.change(wanted);
        }
        return new Counter(name, limiter, onFailure, limits);
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
    Gate gate(String rule) {
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
