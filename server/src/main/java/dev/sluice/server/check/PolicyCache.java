package dev.sluice.server.check;

import dev.sluice.Limit;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.RuleDecision;
import io.netty.util.AsciiString;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The texts about a rule that are the same in every response, written once. One for each event loop. */
final class PolicyCache {
    /** When there are more, all are forgotten: with them go those of rules that are no longer in force. */
    private static final int MAX = 20_000;

    /**
     * @param field its part of {@code RateLimit-Policy}
     * @param name the rule's name as JSON, in quotes
     * @param holds whether one of its limits is a concurrency limit
     */
    record Policy(String rule, AsciiString field, AsciiString name, boolean holds) {}

    private final IdentityHashMap<List<Limit>, Policy> policies = new IdentityHashMap<>();
    /** The one that was looked up last: a response needs it several times. */
    private @Nullable Policy latest;

    private @Nullable List<Limit> latestLimits;

    /** The texts about the limits of a decision. */
    @SuppressWarnings("ReferenceEquality") // of two equal lists, one or the other will do
    Policy of(RuleDecision ruleDecision) {
        List<Limit> limits = ruleDecision.limiter().limits();
        String rule = ruleDecision.rule().name();
        if (limits == latestLimits && latest != null && latest.rule.equals(rule)) {
            return latest;
        }
        Policy policy = policies.get(limits);
        if (policy == null || !policy.rule.equals(rule)) {
            policy = new Policy(
                    rule, field(rule, limits), new ByteBuilder().json(rule).field(), holds(limits));
            if (policies.size() >= MAX) {
                policies.clear();
            }
            policies.put(limits, policy);
        }
        latest = policy;
        latestLimits = limits;
        return policy;
    }

    private static AsciiString field(String rule, List<Limit> limits) {
        StringBuilder field = new StringBuilder();
        RateLimitHeaders.policies(field, rule, limits);
        return new AsciiString(field);
    }

    private static boolean holds(List<Limit> limits) {
        return limits.stream().anyMatch(Limit::holds);
    }
}
