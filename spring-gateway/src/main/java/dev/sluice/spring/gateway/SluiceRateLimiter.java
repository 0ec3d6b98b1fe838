package dev.sluice.spring.gateway;

import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import dev.sluice.rules.match.Condition;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.ReactiveVerdicts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import reactor.core.publisher.Mono;

/**
 * The rate limiter behind the gateway's filter {@code RequestRateLimiter}. Its arguments are
 * {@code sluice-rate-limiter.limits}, written as in a rule file, or {@code sluice-rate-limiter.rule}, the name of a rule
 * with one attribute in its key; and {@code sluice-rate-limiter.on-store-failure}.
 *
 * <p>Each route has counters of its own. The filter does not tell when a request has ended, so concurrency limits are
 * refused.
 */
public final class SluiceRateLimiter extends AbstractRateLimiter<SluiceRateLimiter.Config> {
    private static final String PROPERTIES = "sluice-rate-limiter";
    private static final String KEY = "key";

    /** A route's arguments. */
    public static final class Config {
        private List<String> limits = List.of();
        private @Nullable String rule;
        private OnFailure onStoreFailure = OnFailure.LOCAL;

        public List<String> getLimits() {
            return limits;
        }

        public void setLimits(List<String> limits) {
            this.limits = List.copyOf(limits);
        }

        public @Nullable String getRule() {
            return rule;
        }

        public void setRule(@Nullable String rule) {
            this.rule = rule;
        }

        public OnFailure getOnStoreFailure() {
            return onStoreFailure;
        }

        public void setOnStoreFailure(OnFailure onStoreFailure) {
            this.onStoreFailure = onStoreFailure;
        }
    }

    /** A route's rule, and the only attribute in its key; null if the key has none. */
    private record RouteRule(String rule, @Nullable String attribute) {}

    private final RuleRegistry registry;
    private final Map<String, RouteRule> routes = new ConcurrentHashMap<>();

    SluiceRateLimiter(RuleRegistry registry, ConfigurationService configuration) {
        super(Config.class, PROPERTIES, configuration);
        this.registry = registry;
    }

    /** A route was defined, or defined anew. */
    @Override
    public void onApplicationEvent(FilterArgsEvent event) {
        super.onApplicationEvent(event);
        routes.remove(event.getRouteId());
    }

    @Override
    public Mono<Response> isAllowed(String routeId, String id) {
        RouteRule route = routes.computeIfAbsent(routeId, this::routeRule);
        Request.Builder request = Request.builder();
        if (route.attribute != null) {
            request.with(route.attribute, id);
        }
        RuleCheck ask = new RuleCheck(route.rule, request.build());
        RuleEngine engine = registry.engine();
        return Mono.defer(() -> ReactiveVerdicts.await(engine, engine.check(List.of(ask))))
                .map(SluiceRateLimiter::response);
    }

    private static Response response(Verdict verdict) {
        Map<String, String> headers = new LinkedHashMap<>();
        RateLimitHeaders.set(verdict, headers::put);
        return new Response(verdict.allowed(), headers);
    }

    private RouteRule routeRule(String routeId) {
        Config config = getConfig().get(routeId);
        String where = "route '" + routeId + "'";
        if (config == null || (config.rule == null) == config.limits.isEmpty()) {
            throw new RateLimitConfigurationException(
                    where + ": expected " + PROPERTIES + ".limits such as '5 per 1m', or " + PROPERTIES + ".rule");
        }
        Rule rule = config.rule != null ? named(config.rule, where) : own(routeId, config, where);
        requireUsable(rule, where);
        if (config.rule == null) {
            registry.add(rule, where);
        } else {
            registry.use(config.rule, where, next -> requireUsable(next, where));
        }
        return new RouteRule(
                rule.name(), rule.key().isEmpty() ? null : rule.key().get(0));
    }

    private static void requireUsable(Rule rule, String where) {
        if (rule.limits().stream().anyMatch(Limit::holds)) {
            throw new RateLimitConfigurationException(
                    where + ": " + rule.limits().stream().map(Limit::text).toList()
                            + " holds permits until a request has ended, and the gateway's filter does not tell when that is");
        }
        if (rule.key().size() > 1) {
            throw new RateLimitConfigurationException(where + ": rule '" + rule.name() + "' has the key " + rule.key()
                    + ", but the gateway's key resolver gives only one value");
        }
    }

    private Rule named(String name, String where) {
        Rule rule = registry.rule(name);
        if (rule == null) {
            throw new RateLimitConfigurationException(where + ": " + registry.unknownRule(name));
        }
        return rule;
    }

    private static Rule own(String routeId, Config config, String where) {
        try {
            Limit[] limits = config.limits.stream()
                    .map(text -> RuleFile.limit(where, text))
                    .toArray(Limit[]::new);
            return Rule.named("gateway:" + routeId)
                    .when(Condition.is("gateway-route", routeId))
                    .key(KEY)
                    .limits(limits)
                    .onStoreFailure(config.onStoreFailure)
                    .build();
        } catch (RuleFileException e) {
            throw new RateLimitConfigurationException(String.valueOf(e.getMessage()));
        }
    }
}
