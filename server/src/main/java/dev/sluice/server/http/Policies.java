package dev.sluice.server.http;

import dev.sluice.Limit;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.RuleDecision;
import io.netty.util.AsciiString;
import java.util.IdentityHashMap;
import java.util.List;

/** What is told of limits and does not change, worked out once. One for each event loop. */
final class Policies {
    /** Rules that have gone are forgotten with all others, now and then. */
    private static final int MOST = 20_000;

    /**
     * @param field its part of {@code RateLimit-Policy}
     * @param name the rule's name as JSON, in quotes
     * @param holds whether what it grants is held until it is freed
     */
    record Policy(String rule, AsciiString field, AsciiString name, boolean holds) {}

    private final IdentityHashMap<List<Limit>, Policy> known = new IdentityHashMap<>();

    /** What is to be said of the limits that a ruling went by. */
    Policy of(RuleDecision ruling) {
        List<Limit> limits = ruling.limiter().limits();
        String rule = ruling.rule().name();
        Policy policy = known.get(limits);
        if (policy == null || !policy.rule.equals(rule)) {
            policy =
                    new Policy(rule, field(rule, limits), new Bytes().json(rule).field(), holds(limits));
            if (known.size() >= MOST) {
                known.clear();
            }
            known.put(limits, policy);
        }
        return policy;
    }

    private static AsciiString field(String rule, List<Limit> limits) {
        StringBuilder field = new StringBuilder();
        RateLimitHeaders.policies(field, rule, limits);
        return new AsciiString(field);
    }

    private static boolean holds(List<Limit> limits) {
        return limits.stream().anyMatch(limit -> limit instanceof Limit.Concurrency);
    }
}
