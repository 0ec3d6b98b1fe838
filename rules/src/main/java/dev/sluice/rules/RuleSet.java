package dev.sluice.rules;

import dev.sluice.rules.match.PathOptions;
import dev.sluice.text.Quoted;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one file.
 *
 * @param store where the counters are kept: {@code memory}, or the URL of a Redis
 * @param memory the bound on the bytes of this process that counters take, such as {@code 256MB} or {@code 25%}; null
 *     for the default
 * @param rules the rules, in their order
 * @param trustedProxies the proxies whose {@code X-Forwarded-For} counts
 * @param paths how the servers behind compare paths
 * @param geo the database that the attribute {@code region} comes from; null without one
 */
public record RuleSet(
        String store,
        @Nullable String memory,
        List<Rule> rules,
        TrustedProxies trustedProxies,
        PathOptions paths,
        @Nullable GeoDatabase geo) {
    /** The store that is this process. */
    public static final String MEMORY = "memory";

    public RuleSet {
        rules = List.copyOf(rules);
        Set<String> names = new HashSet<>();
        for (Rule rule : rules) {
            if (!names.add(rule.name())) {
                throw new IllegalArgumentException("two rules are named " + Quoted.quoted(rule.name()));
            }
        }
    }

    /** The same settings with other rules. */
    public RuleSet withRules(List<Rule> rules) {
        return new RuleSet(store, memory, rules, trustedProxies, paths, geo);
    }

    /** A set of these rules, in memory, without trusted proxies or regions. */
    public static RuleSet of(Rule... rules) {
        return new RuleSet(MEMORY, null, List.of(rules), TrustedProxies.NONE, PathOptions.DEFAULT, null);
    }
}
