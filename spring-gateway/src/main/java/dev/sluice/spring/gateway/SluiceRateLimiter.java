package dev.sluice.spring.gateway;

import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import dev.sluice.rules.match.Condition;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.reactive.ReactiveVerdicts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;
import org.springframework.cloud.gateway.support.ConfigurationService;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * The rate limiter behind the gateway's filter {@code RequestRateLimiter}. Its arguments are
 * {@code sluice-rate-limiter.limits}, written as in a rule file, or {@code sluice-rate-limiter.rule}, the name of a rule
 * with one attribute in its key; and {@code sluice-rate-limiter.on-store-failure}.
 *
 * <p>Each route has counters of its own. The filter does not tell when a request has ended, so concurrency limits are
 * refused.
 */
public final class SluiceRateLimiter extends AbstractRateLimiter<SluiceRateLimiter.Config> {
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

    /**
     * A route's rule, as the rules were.
     *
     * @param rule its name
     * @param attribute the only attribute in its key; null if the key has none
     */
    private record RouteRule(String rule, @Nullable String attribute, RuleSet seen) {}

    private final RuleRegistry registry;
    private final Map<String, RouteRule> routes = new ConcurrentHashMap<>();

    SluiceRateLimiter(RuleRegistry registry, ConfigurationService configuration) {
        super(Config.class, RouteArguments.PREFIX, configuration);
        this.registry = registry;
    }

    /**
     * A route was defined, or defined anew. If its arguments are wrong this throws, so that the gateway logs the reason and
     * keeps the routes that it had.
     */
    @Override
    public void onApplicationEvent(FilterArgsEvent event) {
        if (RouteArguments.areForSluice(event.getArgs())) {
            define(event.getRouteId(), event.getArgs());
        }
    }

    /** Sets the limits of a route; changes nothing if the arguments are wrong. */
    void define(String routeId, Map<String, ?> arguments) {
        Config config = RouteArguments.read(where(routeId), arguments);
        RouteRule rule = routeRule(routeId, config);
        getConfig().put(routeId, config);
        routes.put(routeId, rule);
    }

    /** Checks the limits of a route that was defined in Java. */
    void check(String routeId) {
        routes.put(routeId, routeRule(routeId, config(routeId)));
    }

    @Override
    public Mono<Response> isAllowed(String routeId, String id) {
        RuleEngine engine = registry.engine();
        RouteRule route = current(routeId, engine);
        Request.Builder request = Request.builder();
        if (route.attribute != null) {
            request.with(route.attribute, id);
        }
        RuleCheck check = new RuleCheck(route.rule, request.build());
        return Mono.deferContextual(context -> ReactiveVerdicts.await(
                engine, () -> engine.check(List.of(check)), verdict -> response(verdict, context)));
    }

    private Response response(Verdict verdict, ContextView context) {
        RefusalGlobalFilter.decided(verdict, context);
        LimitedRouteFilter.decided(registry, verdict, context);
        Map<String, String> headers = new LinkedHashMap<>();
        RateLimitHeaders.set(verdict, headers::put);
        return new Response(verdict.allowed(), headers);
    }

    /** The rule of a route, looked up again if the rules changed, since the key of a named rule may have. */
    @SuppressWarnings("ReferenceEquality") // comparing all rules at each request would take long
    private RouteRule current(String routeId, RuleEngine engine) {
        RouteRule known = routes.get(routeId);
        if (known == null || known.seen != engine.rules()) {
            known = routeRule(routeId, config(routeId));
            routes.put(routeId, known);
        }
        return known;
    }

    /** How messages name a route. */
    static String where(String routeId) {
        return routeId.equals(RouteDefinitionRouteLocator.DEFAULT_FILTERS)
                ? "the default filters"
                : "route '" + routeId + "'";
    }

    /** The arguments of a route, else those of the default filters. */
    private Config config(String routeId) {
        Config own = getConfig().get(routeId);
        Config config = own == null ? getConfig().get(RouteDefinitionRouteLocator.DEFAULT_FILTERS) : own;
        Config found = config == null ? new Config() : config;
        RouteArguments.requireOne(where(routeId), found, Map.of());
        return found;
    }

    private RouteRule routeRule(String routeId, Config config) {
        String where = where(routeId);
        Rule rule = config.rule == null
                ? own(routeId, config, where)
                : registry.use(config.rule, where, named -> requireUsable(named, where));
        return new RouteRule(
                rule.name(),
                rule.key().isEmpty() ? null : rule.key().get(0),
                registry.engine().rules());
    }

    private static void requireUsable(Rule rule, String where) {
        if (rule.limits().stream().anyMatch(Limit::holds)) {
            throw new RateLimitConfigurationException(where + ": "
                    + rule.limits().stream().map(Limit::text).toList()
                    + " holds permits until a request has ended, and the gateway's filter does not tell when that is");
        }
        if (rule.key().size() > 1) {
            throw new RateLimitConfigurationException(where + ": rule '" + rule.name() + "' has the key " + rule.key()
                    + ", but the gateway's key resolver gives only one value");
        }
    }

    /** The rule of a route's own limits. Default filters have none: each route that they apply to gets one. */
    private Rule own(String routeId, Config config, String where) {
        Rule rule = Rule.named("gateway:" + routeId)
                .when(Condition.is("gateway-route", routeId))
                .key(KEY)
                .limits(config.limits.stream().map(text -> limit(where, text)).toArray(Limit[]::new))
                .onStoreFailure(config.onStoreFailure)
                .build();
        requireUsable(rule, where);
        if (!routeId.equals(RouteDefinitionRouteLocator.DEFAULT_FILTERS)) {
            registry.add(rule, where);
        }
        return rule;
    }

    private static Limit limit(String where, String text) {
        try {
            return RuleFile.limit(where, text);
        } catch (RuleFileException e) {
            throw new RateLimitConfigurationException(e.problems().stream()
                    .map(problem -> where + ": " + RouteArguments.PREFIX + ".limits: " + problem.message())
                    .toList());
        }
    }
}
