package dev.sluice.spring.gateway;

import dev.sluice.spring.RateLimitConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;

/**
 * Checks the limits of the routes that the application has when it starts, so that a wrong one ends the start. The gateway
 * itself reads routes only later, and answers every request with 500 if one is wrong.
 */
final class RouteCheck implements SmartInitializingSingleton {
    private static final String FILTER = "RequestRateLimiter";

    private final ObjectProvider<GatewayProperties> properties;
    private final SluiceRateLimiter limiter;

    RouteCheck(ObjectProvider<GatewayProperties> properties, SluiceRateLimiter limiter) {
        this.properties = properties;
        this.limiter = limiter;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> problems = new ArrayList<>();
        properties.ifAvailable(defined -> {
            check(RouteDefinitionRouteLocator.DEFAULT_FILTERS, defined.getDefaultFilters(), problems);
            for (RouteDefinition route : defined.getRoutes()) {
                if (route.isEnabled()) {
                    check(String.valueOf(route.getId()), route.getFilters(), problems);
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
    }

    private void check(String route, List<FilterDefinition> filters, List<String> problems) {
        for (FilterDefinition filter : filters) {
            Map<String, String> arguments = filter.getArgs();
            boolean another = RouteArguments.nameALimiter(arguments) && !RouteArguments.areForSluice(arguments);
            if (FILTER.equals(filter.getName()) && !another) {
                attempt(() -> limiter.define(route, arguments), problems);
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
