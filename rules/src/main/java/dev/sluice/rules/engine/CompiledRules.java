package dev.sluice.rules.engine;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.GeoDatabase;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleOverride;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.UnderWay;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Index;
import dev.sluice.rules.match.PathOptions;
import dev.sluice.text.Quoted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All rules with their limiters and the index that finds them. It is never changed, only replaced. */
final class CompiledRules {
    /** The largest number of characters of an override's conditions in the name of its limiter. */
    private static final int MAX_NAME = 48;
    /** How many of them stay before the digest if there are more. */
    private static final int SHORTENED = 32;

    final RuleSet rules;
    final List<CompiledRule> compiled;
    final Map<String, NamedLimiter> limiters;
    private final Needs needs;
    private final Map<String, CompiledRule> byName = new HashMap<>();
    /** Null until a request is checked by its attributes. */
    private volatile @Nullable Index index;

    private CompiledRules(RuleSet rules, List<CompiledRule> compiled, Map<String, NamedLimiter> limiters, Needs needs) {
        this.rules = rules;
        this.compiled = compiled;
        this.limiters = limiters;
        this.needs = needs;
        compiled.forEach(rule -> byName.put(rule.rule.name(), rule));
    }

    /** Which attributes of a request the rules need that are not there as they are. */
    private record Needs(boolean region, boolean path) {
        Needs and(Rule rule) {
            return new Needs(
                    region || rule.attributes().anyMatch(Attributes.REGION::equals),
                    path || rule.attributes().anyMatch(Attributes.PATH::equals));
        }
    }

    /** The rules on {@code store}. Limiters that were there before, by name, keep their counters. */
    static CompiledRules of(RuleSet rules, Store store, Map<String, NamedLimiter> before) {
        Map<String, NamedLimiter> limiters = new HashMap<>();
        List<CompiledRule> compiled = new ArrayList<>();
        Needs needs = new Needs(false, false);
        for (Rule rule : rules.rules()) {
            compiled.add(compiled(rule, rules.paths(), store, before, limiters));
            needs = needs.and(rule);
        }
        CompiledRules all = new CompiledRules(rules, List.copyOf(compiled), limiters, needs);
        all.index();
        return all;
    }

    /**
     * The same with one rule more. It leaves the index to the first request, since rules that are added one after another
     * would make one each.
     */
    CompiledRules with(Rule rule, Store store) {
        List<Rule> all = new ArrayList<>(rules.rules());
        all.add(rule);
        RuleSet next = rules.withRules(all);
        Map<String, NamedLimiter> more = new HashMap<>(limiters);
        List<CompiledRule> compiled = new ArrayList<>(this.compiled);
        try {
            compiled.add(compiled(rule, next.paths(), store, Map.of(), more));
        } catch (RuntimeException e) {
            more.keySet().stream().filter(name -> !limiters.containsKey(name)).forEach(store::forget);
            throw e;
        }
        return new CompiledRules(next, List.copyOf(compiled), more, needs.and(rule));
    }

    private static CompiledRule compiled(
            Rule rule,
            PathOptions paths,
            Store store,
            Map<String, NamedLimiter> before,
            Map<String, NamedLimiter> limiters) {
        NamedLimiter own = limiter(rule.name(), rule, rule.batch(), rule.limits(), store, before, limiters);
        List<@Nullable NamedLimiter> overrideLimiters = new ArrayList<>();
        for (RuleOverride override : rule.overrides()) {
            String name = limiterName(rule, override);
            overrideLimiters.add(limiter(name, rule, rule.batch(), override.limits(), store, before, limiters));
        }
        return new CompiledRule(rule, paths, own, overrideLimiters, underWay(rule, store, before, limiters));
    }

    /**
     * The name of the limiter of an override, such as {@code rule/ip=198.51.100.0/24}. It is made of the conditions and not
     * of the place in the list, so that the counts stay when another override is put before it.
     */
    private static String limiterName(Rule rule, RuleOverride override) {
        String text = override.when().stream()
                .map(condition -> condition.toString().replace(": ", "="))
                .collect(Collectors.joining(","));
        return rule.name() + "/"
                + (text.length() <= MAX_NAME ? text : text.substring(0, SHORTENED) + "~" + Digest.of(text, 8));
    }

    /** Finds the rules of a request. Two threads may make it at once, which does no harm. */
    Index index() {
        Index made = index;
        if (made == null) {
            made = Index.of(compiled.stream().map(rule -> rule.when).toList());
            index = made;
        }
        return made;
    }

    private static CompiledRule.@Nullable UnderWayLimiters underWay(
            Rule rule, Store store, Map<String, NamedLimiter> before, Map<String, NamedLimiter> limiters) {
        UnderWay underWay = rule.underWay();
        Duration window = rule.allLimits()
                .map(Limit::period)
                .flatMap(Stream::ofNullable)
                .min(Comparator.naturalOrder())
                .orElse(null);
        if (underWay == null || window == null || !rule.enforces()) {
            return null;
        }
        List<Limit> atOnce = List.of(Limit.concurrency(underWay.max()));
        List<Limit> inWindow = List.of(Limit.slidingLog(underWay.max(), window));
        NamedLimiter places =
                limiter(rule.name() + "/under-way", rule, Rule.Batch.OFF, atOnce, store, before, limiters);
        NamedLimiter excess = limiter(rule.name() + "/excess", rule, Rule.Batch.OFF, inWindow, store, before, limiters);
        return places == null || excess == null ? null : new CompiledRule.UnderWayLimiters(places, excess);
    }

    private static @Nullable NamedLimiter limiter(
            String name,
            Rule rule,
            Rule.Batch batch,
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
        if (old == null || old.onFailure != onFailure || old.batch != batch) {
            limiter = batch == Rule.Batch.AUTO
                    ? store.batchedLimiter(name, onFailure, wanted)
                    : store.limiter(name, onFailure, wanted);
        } else {
            limiter = old.limiter;
            if (!limiter.limits().equals(limits)) {
                limiter.change(wanted);
            }
        }
        NamedLimiter named = new NamedLimiter(name, rule, limiter, batch, limits);
        limiters.put(name, named);
        return named;
    }

    @Nullable
    CompiledRule rule(String name) {
        return byName.get(name);
    }

    /** The request with its region, if a rule needs it and the database knows it. */
    Request withRegion(Request request) {
        GeoDatabase geo = rules.geo();
        if (!needs.region || geo == null || request.attribute(Attributes.REGION) != null) {
            return request;
        }
        String ip = request.attribute(Attributes.IP);
        String region = ip == null ? null : geo.region(ip);
        return region == null ? request : request.with(Attributes.REGION, region);
    }

    /** Whether a request is checked once: its path, if a rule needs it, has one form. */
    boolean hasOneForm(Request request) {
        if (!needs.path) {
            return true;
        }
        String path = request.hasOnePath() ? request.attribute(Attributes.PATH) : null;
        return request.hasOnePath() && (path == null || rules.paths().isOneForm(path));
    }

    /** The request once for each form of its path. */
    List<Request> forms(Request request) {
        return hasOneForm(request)
                ? List.of(request)
                : rules.paths().forms(request.paths()).stream()
                        .map(request::withPath)
                        .toList();
    }
}
