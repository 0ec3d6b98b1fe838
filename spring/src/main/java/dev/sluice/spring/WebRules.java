package dev.sluice.spring;

import dev.sluice.Outcome;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
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
 * The rules as the web filters check them.
 *
 * <p>A rule with a condition on {@code status} is about the response, which does not exist yet when the request is checked.
 * Such a rule is charged as if the condition matched, and refunded when the response has another status. So never more
 * requests with that status come through than the limit allows, even if all are sent at once.
 */
public final class WebRules {
    /** Which rules a filter checks. */
    public enum Phase {
        /** All of them. */
        ALL,
        /** Those that do not need the user. */
        BEFORE_USER,
        /** Those that need the user. */
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

    WebRules(RuleSet configured) {
        Set<String> headers = new HashSet<>();
        List<Rule> rules = new ArrayList<>();
        for (Rule rule : configured.rules()) {
            Set<String> used = rule.attributes().collect(Collectors.toSet());
            if (used.contains(USER)) {
                byUser.add(rule.name());
            }
            used.stream().filter(name -> name.startsWith(HEADER)).forEach(headers::add);
            rules.add(withoutStatus(rule));
        }
        this.headers = headers.stream()
                .map(name -> name.substring(HEADER.length()))
                .sorted()
                .toList();
        this.rules = configured.withRules(rules);
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
                rule.batch(),
                rule.lease(),
                rule.priority(),
                rule.shedFrom(),
                rule.overrides(),
                rule.ipv6Prefix());
    }

    RuleSet rules() {
        return rules;
    }

    /** The names of the headers that rules use. */
    public List<String> headers() {
        return headers;
    }

    /** The proxies whose X-Forwarded-For is trusted. */
    public TrustedProxies trustedProxies() {
        return rules.trustedProxies();
    }

    /** Whether there are no rules. */
    public boolean isEmpty() {
        return rules.rules().isEmpty();
    }

    /** Whether a rule uses the user. */
    public boolean needsUser() {
        return !byUser.isEmpty();
    }

    /** The rules of a phase. */
    public Predicate<Rule> in(Phase phase) {
        return switch (phase) {
            case ALL -> any -> true;
            case BEFORE_USER -> withoutUser;
            case WITH_USER -> withUser;
        };
    }

    /** Whether a rule was charged that has a condition on the status. */
    public boolean needsStatus(Verdict verdict) {
        return !byStatus.isEmpty()
                && charged(verdict)
                        .anyMatch(ruleDecision ->
                                byStatus.containsKey(ruleDecision.rule().name()));
    }

    /** Refunds the rules whose condition on the status does not match; completes when the store has done so. */
    public CompletableFuture<Void> refund(Verdict verdict, int status) {
        return CompletableFuture.allOf(charged(verdict)
                .filter(ruleDecision -> !matches(ruleDecision.rule().name(), status))
                .map(ruleDecision -> ruleDecision.limiter().refundAsync(ruleDecision.key(), ruleDecision.decision()))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Releases the holds of the rules that were not refunded for this status. */
    public void release(Verdict verdict, int status) {
        charged(verdict)
                .filter(ruleDecision -> matches(ruleDecision.rule().name(), status))
                .forEach(ruleDecision ->
                        ruleDecision.limiter().releaseAsync(ruleDecision.key(), ruleDecision.decision()));
    }

    private static Stream<RuleDecision> charged(Verdict verdict) {
        return verdict.decisions().stream()
                .filter(ruleDecision -> ruleDecision.decision().outcome() == Outcome.ALLOWED);
    }

    private boolean matches(String rule, int status) {
        List<Condition> onStatus = byStatus.get(rule);
        return onStatus == null || onStatus.stream().allMatch(condition -> condition.matches(Integer.toString(status)));
    }
}
