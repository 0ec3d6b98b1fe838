package dev.sluice.spring.web;

import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.WebRules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** Checks web requests against the rules of one phase; shared by the filters for servlets and for WebFlux. */
final class WebRateLimiter {
    private final RuleRegistry registry;
    private final WebRules.Phase phase;
    private final List<PathPattern> excluded = new ArrayList<>();

    /** @param excluded patterns of paths that no rule is checked for */
    WebRateLimiter(RuleRegistry registry, WebRules.Phase phase, List<String> excluded) {
        this.registry = registry;
        this.phase = phase;
        for (String pattern : excluded) {
            try {
                this.excluded.add(PathPatternParser.defaultInstance.parse(pattern));
            } catch (PatternParseException e) {
                throw new RateLimitConfigurationException(
                        "sluice.filter.exclude: expected a path pattern such as /actuator/**, was '" + pattern + "': "
                                + e.getMessage());
            }
        }
    }

    WebRules.Phase phase() {
        return phase;
    }

    RuleEngine engine() {
        return registry.engine();
    }

    /** The rules to check now; null if there are none for this phase. */
    @Nullable
    WebRules rules() {
        WebRules rules = registry.web();
        boolean idle = rules.isEmpty() || (phase == WebRules.Phase.WITH_USER && !rules.needsUser());
        return idle ? null : rules;
    }

    /** Starts to check a request; null if its path is excluded. */
    @Nullable
    CompletableFuture<Verdict> check(WebRules rules, WebRequestAdapter request) {
        Request checked = request.request(rules).build();
        return isExcluded(checked) ? null : engine().check(checked, rules.in(phase));
    }

    /** Whether the path is excluded in every form in which it may be routed. */
    private boolean isExcluded(Request request) {
        return !excluded.isEmpty()
                && request.isPathReadable()
                && request.paths().stream().allMatch(this::isExcluded);
    }

    private boolean isExcluded(String path) {
        PathContainer parsed = PathContainer.parsePath(path);
        return excluded.stream().anyMatch(pattern -> pattern.matches(parsed));
    }

    /**
     * Publishes a verdict as an attribute of the request and, if it allows it, as header fields of the response.
     *
     * @return what the request took; null if it is denied, in which case the permits of an earlier phase are given back
     */
    @Nullable
    RequestCharge publish(
            WebRules rules, Verdict verdict, WebRequestAdapter request, BiConsumer<String, String> setHeader) {
        Verdict earlier = (Verdict) request.attribute(RateLimitAttributes.VERDICT);
        Verdict all = earlier == null ? verdict : both(earlier, verdict);
        request.attribute(RateLimitAttributes.VERDICT, all);
        if (verdict.allowed()) {
            RateLimitHeaders.set(all, setHeader);
            return new RequestCharge(rules, verdict, request);
        }
        engine().release(verdict);
        if (earlier != null) {
            engine().refund(earlier);
            request.attribute(RateLimitAttributes.REFUNDED, true);
        }
        return null;
    }

    /** Two verdicts on one request, of which the first allowed it. */
    private static Verdict both(Verdict first, Verdict second) {
        if (first.decisions().isEmpty() || second.decisions().isEmpty()) {
            return first.decisions().isEmpty() ? second : first;
        }
        List<RuleDecision> ruleDecisions = new ArrayList<>(first.decisions());
        ruleDecisions.addAll(second.decisions());
        return Verdict.of(ruleDecisions);
    }
}
