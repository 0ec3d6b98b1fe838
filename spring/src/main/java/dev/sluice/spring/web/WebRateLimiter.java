package dev.sluice.spring.web;

import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.LimitedCallListener;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.WebRules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** Checks web requests against the rules of one phase; shared by the filters for servlets and for WebFlux. */
public final class WebRateLimiter {
    private static final Logger LOG = LoggerFactory.getLogger(WebRateLimiter.class);

    private final RuleRegistry registry;
    private final WebRules.Phase phase;
    private final List<PathPattern> excluded;
    /** The rules whose warnings are in the log. */
    private volatile @Nullable WebRules warnedOf;

    /** @param excluded patterns of paths that no rule is checked for */
    public WebRateLimiter(RuleRegistry registry, WebRules.Phase phase, List<String> excluded) {
        this.registry = registry;
        this.phase = phase;
        this.excluded = patterns(excluded);
        warn(registry.web());
    }

    private static List<PathPattern> patterns(List<String> excluded) {
        List<PathPattern> patterns = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < excluded.size(); i++) {
            String pattern = excluded.get(i);
            String where = "sluice.filter.exclude[" + i + "]: ";
            if (!pattern.startsWith("/")) {
                problems.add(where + "would never match: a path begins with '/', was '" + pattern + "'");
                continue;
            }
            try {
                patterns.add(PathPatternParser.defaultInstance.parse(pattern));
            } catch (PatternParseException e) {
                problems.add(where + "expected a path pattern such as /actuator/**, was '" + pattern + "': "
                        + e.getMessage());
            }
        }
        if (!problems.isEmpty()) {
            throw new RateLimitConfigurationException(problems);
        }
        return patterns;
    }

    /** Warns once of what may be a mistake in the rules. */
    private void warn(WebRules rules) {
        warnedOf = rules;
        if (phase != WebRules.Phase.WITH_USER) {
            rules.warnings().forEach(LOG::warn);
        }
    }

    public WebRules.Phase phase() {
        return phase;
    }

    public RuleEngine engine() {
        return registry.engine();
    }

    /** The rules to check now; null if there are none for this phase. */
    public @Nullable WebRules rules() {
        WebRules rules = registry.web();
        if (rules != warnedOf) {
            warn(rules);
        }
        boolean idle = rules.isEmpty() || (phase == WebRules.Phase.WITH_USER && !rules.needsUser());
        return idle ? null : rules;
    }

    /** The request as the rules see it; null if its path is excluded. */
    public @Nullable Request request(WebRules rules, WebRequestAdapter request) {
        Request checked = request.attributes(rules).build();
        return isExcluded(checked) ? null : checked;
    }

    /** Starts to check a request. */
    public CompletableFuture<Verdict> check(WebRules rules, Request request) {
        return engine().begin(request, rules.in(phase));
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
     * @return what the request took; null if it took nothing: no rule applies, or it is denied, in which case the permits
     *     of an earlier phase are given back
     */
    public @Nullable RequestCharge publish(
            WebRules rules,
            Request checked,
            Verdict verdict,
            WebRequestAdapter request,
            BiConsumer<String, String> setHeader) {
        Verdict earlier = (Verdict) request.attribute(RateLimitAttributes.VERDICT);
        Verdict all = earlier == null ? verdict : both(earlier, verdict);
        request.attribute(RateLimitAttributes.VERDICT, all);
        if (!verdict.allowed()) {
            giveBack(verdict, request);
            return null;
        }
        if (verdict.decisions().isEmpty()) {
            return null;
        }
        RateLimitHeaders.set(all, setHeader);
        RequestCharge charge = new RequestCharge(
                engine(), rules, checked, verdict, registry.began(LimitedCallListener.Kind.REQUEST, verdict));
        if (phase == WebRules.Phase.BEFORE_USER) {
            request.attribute(RateLimitAttributes.CHARGE, charge);
        }
        return charge;
    }

    private void giveBack(Verdict denied, WebRequestAdapter request) {
        engine().release(denied);
        if (request.attribute(RateLimitAttributes.CHARGE) instanceof RequestCharge earlier) {
            earlier.giveBack();
        }
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
