package dev.sluice.spring.gateway;

import dev.sluice.spring.RateLimitConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;

/**
 * Checks the limits of the routes that the application has when it starts, so that a wrong one ends the start, and warns of
 * those that limit nothing. The gateway itself reads routes only later, and answers every request with 500 if one is wrong.
 */
final class RouteCheck implements SmartInitializingSingleton {
    private static final Logger LOG = LoggerFactory.getLogger(RouteCheck.class);
    private static final String FILTER = "RequestRateLimiter";

    private final ObjectProvider<GatewayProperties> properties;
    private final SluiceRateLimiter limiter;
    private final RouteKeys keys;

    RouteCheck(ObjectProvider<GatewayProperties> properties, SluiceRateLimiter limiter, RouteKeys keys) {
        this.properties = properties;
        this.limiter = limiter;
        this.keys = keys;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> problems = new ArrayList<>();
        Set<String> warnings = new LinkedHashSet<>();
        properties.ifAvailable(defined -> {
            check(RouteDefinitionRouteLocator.DEFAULT_FILTERS, defined.getDefaultFilters(), problems, warnings);
            for (RouteDefinition route : defined.getRoutes()) {
                if (route.isEnabled()) {
                    check(String.valueOf(route.getId()), route.getFilters(), problems, warnings);
                }
            }
        });
        for (String route : Set.copyOf(limiter.getConfig().keySet())) {
            attempt(() -> limiter.check(route), problems);
        }
        if (!problems.isEmpty()) {
            throw new RateLimitConfigurationException(
                    problems.stream().distinct().toList());
        }
        warnings.forEach(LOG::warn);
    }

    private void check(String route, List<FilterDefinition> filters, List<String> problems, Set<String> warnings) {
        for (FilterDefinition filter : filters) {
            Map<String, String> arguments = filter.getArgs();
            boolean another = RouteArguments.nameALimiter(arguments) && !RouteArguments.areForSluice(arguments);
            if (FILTER.equals(filter.getName()) && !another) {
                attempt(() -> limiter.define(route, arguments), problems);
                keys.warnings(SluiceRateLimiter.where(route), arguments).forEach(warnings::add);
            }
        }
    }

    private static void attempt(Runnable check, List<String> problems) {
        try {
            check.run();
        } catch (RateLimitConfigurationException e) {
            problems.addAll(e.problems());
        }
    }
}
