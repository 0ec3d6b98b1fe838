package dev.sluice.rules;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Condition;
import dev.sluice.rules.match.Index;
import dev.sluice.text.Quoted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All rules with their limiters and the index that finds them. It is never changed, only replaced. */
final class CompiledRules {
    final RuleSet rules;
    final List<CompiledRule> compiled;
    final Index index;
    final Map<String, NamedLimiter> limiters;
    /** Whether a rule needs the region of a request. */
    private final boolean needsRegion;

    private final Map<String, CompiledRule> byName = new HashMap<>();

    private CompiledRules(RuleSet rules, List<CompiledRule> compiled, Map<String, NamedLimiter> limiters) {
        this.rules = rules;
        this.compiled = compiled;
        this.limiters = limiters;
        this.index = Index.of(rules.rules().stream().map(Rule::when).toList());
        this.needsRegion = rules.geo() != null && rules.rules().stream().anyMatch(CompiledRules::needsRegion);
        compiled.forEach(rule -> byName.put(rule.rule.name(), rule));
    }

    /** The rules on {@code store}. Limiters that were there before, by name, keep their counters. */
    static CompiledRules of(RuleSet rules, Store store, Map<String, NamedLimiter> before) {
        Map<String, NamedLimiter> limiters = new HashMap<>();
        List<CompiledRule> compiled = new ArrayList<>();
        for (Rule rule : rules.rules()) {
            NamedLimiter own = limiter(rule.name(), rule, rule.limits(), store, before, limiters);
            List<@Nullable NamedLimiter> overrideLimiters = new ArrayList<>();
            for (RuleOverride override : rule.overrides()) {
                String name = override.limiterName(rule);
                overrideLimiters.add(limiter(name, rule, override.limits(), store, before, limiters));
            }
            compiled.add(new CompiledRule(rule, own, overrideLimiters));
        }
        return new CompiledRules(rules, List.copyOf(compiled), limiters);
    }

    private static @Nullable NamedLimiter limiter(
            String name,
            Rule rule,
            List<Limit> limits,
            Store store,
            Map<String, NamedLimiter> before,
            Map<String, NamedLimiter> limiters) {
        if (limits.isEmpty()) {
            return null;
        }
        if (limiters.containsKey(name)) {
            throw new IllegalArgumentException("two limiters are named " + Quoted.quoted(name));
        }
        NamedLimiter old = before.get(name);
        OnFailure onFailure = rule.onStoreFailure();
        Limit[] wanted = limits.toArray(Limit[]::new);
        Limiter limiter;
        if (old == null || old.onFailure != onFailure || old.batch != rule.batch()) {
            limiter = rule.batch() == Rule.Batch.AUTO
                    ? store.batchedLimiter(name, onFailure, wanted)
                    : store.limiter(name, onFailure, wanted);
        } else {
            limiter = old.limiter;
            if (!limiter.limits().equals(limits)) {
                limiter.change(wanted);
            }
        }
        NamedLimiter named = new NamedLimiter(name, limiter, onFailure, rule.batch(), limits);
        limiters.put(name, named);
        return named;
    }

    private static boolean needsRegion(Rule rule) {
        return rule.key().contains(Attributes.REGION)
                || needsRegion(rule.when())
                || rule.overrides().stream().anyMatch(override -> needsRegion(override.when()));
    }

    private static boolean needsRegion(List<Condition> conditions) {
        return conditions.stream().anyMatch(condition -> condition.attribute().equals(Attributes.REGION));
    }

    @Nullable
    CompiledRule rule(String name) {
        return byName.get(name);
    }

    /** The request with its region, if a rule needs it and the database knows it. */
    Request withRegion(Request request) {
        GeoDatabase geo = rules.geo();
        if (!needsRegion || geo == null || request.attribute(Attributes.REGION) != null) {
            return request;
        }
        String ip = request.attribute(Attributes.IP);
        String region = ip == null ? null : geo.region(ip);
        return region == null ? request : request.with(Attributes.REGION, region);
    }
}
