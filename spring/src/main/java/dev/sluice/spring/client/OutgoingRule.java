package dev.sluice.spring.client;

import dev.sluice.client.RetryRules;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.RuleRegistry;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** The rule for outgoing calls of one client. Its key can have the attributes {@code host}, {@code path} and {@code method}. */
final class OutgoingRule {
    private final RuleRegistry registry;
    private final String rule;
    private final RetryRules retries = RetryRules.standard();

    /**
     * @param where what uses the rule
     * @throws dev.sluice.spring.RateLimitConfigurationException if there is no such rule
     */
    OutgoingRule(RuleRegistry registry, String rule, String where) {
        registry.use(rule, where, any -> {});
        this.registry = registry;
        this.rule = rule;
    }

    CompletableFuture<Verdict> check(String method, URI uri) {
        Request.Builder request = Request.builder().with("method", method);
        if (uri.getHost() != null) {
            request.with("host", uri.getHost());
        }
        if (uri.getRawPath() != null) {
            request.with("path", uri.getRawPath());
        }
        return registry.engine().check(List.of(new RuleCheck(rule, request.build())));
    }

    /** The exception for a call over the limit. */
    static RateLimitedException denied(Verdict verdict) {
        return new RateLimitedException(verdict, Objects.requireNonNull(verdict.decisive()));
    }

    /** When calls are sent again. They share a budget. */
    RetryRules retries() {
        return retries;
    }

    RuleEngine engine() {
        return registry.engine();
    }
}
