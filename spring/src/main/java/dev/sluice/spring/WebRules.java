package dev.sluice.spring;

import dev.sluice.Outcome;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleOverride;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.TrustedProxies;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.match.Condition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rules as filters ask them.
 *
 * <p>A rule with a condition on {@code status} is about the response, and so cannot be decided before there is one. It
 * is charged beforehand as if the condition held, and given back when the response is not of such a status: so never do
 * more requests of that status come through than the limit allows, not even at once.
 */
public final class WebRules {
    /** Which rules are asked. */
    public enum Phase {
        /** All of them. */
        ALL,
        /** Those that need no user. */
        BEFORE_USER,
        /** Those that do. */
        WITH_USER
    }

    private static final String STATUS = "status";
    private static final String USER = "user";
    private static final String HEADER = "header.";

    private final RuleSet rules;
    private final Map<String, List<Condition>> byStatus = new HashMap<>();
    private final Set<String> byUser = new HashSet<>();
    private final Predicate<Rule> withUser = rule -> byUser.contains(rule.name());
    private final Predicate<Rule> withoutUser = withUser.negate();
    private final List<String> headers;

    private WebRules(RuleSet given) {
        Set<String> headers = new HashSet<>();
        List<Rule> rules = new ArrayList<>();
        for (Rule rule : given.rules()) {
            Set<String> asked = asked(rule);
            if (asked.contains(USER)) {
                byUser.add(rule.name());
            }
            asked.stream().filter(name -> name.startsWith(HEADER)).forEach(headers::add);
            rules.add(withoutStatus(rule));
        }
        this.headers = headers.stream()
                .map(name -> name.substring(HEADER.length()))
                .sorted()
                .toList();
        this.rules = new RuleSet(given.store(), rules, given.trustedProxies(), given.geo());
    }

    static WebRules of(RuleSet given) {
        return new WebRules(given);
    }

    private static Set<String> asked(Rule rule) {
        Stream<Condition> conditions = Stream.concat(
                rule.when().stream(),
                rule.overrides().stream().map(RuleOverride::when).flatMap(List::stream));
        return Stream.concat(rule.key().stream(), conditions.map(Condition::attribute))
                .collect(Collectors.toSet());
    }

    private Rule withoutStatus(Rule rule) {
        Map<Boolean, List<Condition>> when = rule.when().stream()
                .collect(Collectors.partitioningBy(
                        condition -> condition.attribute().equals(STATUS)));
        List<Condition> onStatus = when.getOrDefault(true, List.of());
        if (onStatus.isEmpty()) {
            return rule;
        }
        byStatus.put(rule.name(), onStatus);
        return new Rule(
                rule.name(),
                when.getOrDefault(false, List.of()),
                rule.key(),
                rule.missingKey(),
                rule.limits(),
                rule.onExceed(),
                rule.onStoreFailure(),
                rule.priority(),
                rule.shedFrom(),
                rule.overrides(),
                rule.ipv6Prefix());
    }

    RuleSet rules() {
        return rules;
    }

    /** The names of the headers that a rule asks for. */
    public List<String> headers() {
        return headers;
    }

    /** The proxies whose word on where a request comes from is taken. */
    public TrustedProxies trustedProxies() {
        return rules.trustedProxies();
    }

    /** Whether nothing is asked. */
    public boolean isEmpty() {
        return rules.rules().isEmpty();
    }

    /** Whether a rule needs to know the user. */
    public boolean asksUser() {
        return !byUser.isEmpty();
    }

    /** Which rules a phase asks. */
    public Predicate<Rule> in(Phase phase) {
        return switch (phase) {
            case ALL -> any -> true;
            case BEFORE_USER -> withoutUser;
            case WITH_USER -> withUser;
        };
    }

    /** Whether something was taken that depends on the status of the response. */
    public boolean asksStatus(Verdict verdict) {
        return !byStatus.isEmpty()
                && taken(verdict)
                        .anyMatch(ruling -> byStatus.containsKey(ruling.rule().name()));
    }

    /** Gives back what a response of this status was not meant to take; done when the store has heard of it. */
    public CompletableFuture<Void> giveBack(Verdict verdict, int status) {
        return CompletableFuture.allOf(taken(verdict)
                .filter(ruling -> !isMeant(ruling.rule().name(), status))
                .map(ruling -> ruling.limiter().refundAsync(ruling.key(), ruling.decision()))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Frees what was held for a response of this status. */
    public void release(Verdict verdict, int status) {
        taken(verdict)
                .filter(ruling -> isMeant(ruling.rule().name(), status))
                .forEach(ruling -> ruling.limiter().releaseAsync(ruling.key(), ruling.decision()));
    }

    private static Stream<RuleDecision> taken(Verdict verdict) {
        return verdict.decisions().stream().filter(ruling -> ruling.decision().outcome() == Outcome.ALLOWED);
    }

    private boolean isMeant(String rule, int status) {
        List<Condition> onStatus = byStatus.get(rule);
        return onStatus == null || onStatus.stream().allMatch(condition -> condition.holds(Integer.toString(status)));
    }
}
