package dev.sluice.spring.gateway;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.PrincipalNameKeyResolver;
import org.springframework.util.ClassUtils;

/** Finds routes that limit nothing, because no request has a key and those without a key are let through. */
final class RouteKeys {
    private static final Set<String> FALSE = Set.of("false", "off", "no", "0");
    /** Beans of these types set the principal. The application need not have the classes. */
    private static final List<String> SECURITY = List.of(
            "org.springframework.security.web.server.SecurityWebFilterChain",
            "org.springframework.security.web.server.WebFilterChainProxy");

    private final ListableBeanFactory beans;

    RouteKeys(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Warns of a route's filter whose requests have no key. */
    Stream<String> warnings(String where, Map<String, String> arguments) {
        return beans.getBeanProvider(RequestRateLimiterGatewayFilterFactory.class).stream()
                .filter(gateway -> letsThrough(gateway, arguments) && hasNoKey(gateway, arguments))
                .map(gateway ->
                        where + ": requests without a key are not limited (deny-empty-key: false), and there is no"
                                + " KeyResolver and no Spring Security to give them one. Define a bean of type KeyResolver, unless a"
                                + " filter of the application sets the principal");
    }

    private static boolean letsThrough(RequestRateLimiterGatewayFilterFactory gateway, Map<String, String> arguments) {
        return RouteArguments.value("deny-empty-key", arguments)
                .map(value -> FALSE.contains(value.toLowerCase(Locale.ROOT)))
                .orElse(!gateway.isDenyEmptyKey());
    }

    private boolean hasNoKey(RequestRateLimiterGatewayFilterFactory gateway, Map<String, String> arguments) {
        return gateway.getDefaultKeyResolver() instanceof PrincipalNameKeyResolver
                && RouteArguments.value("key-resolver", arguments).isEmpty()
                && SECURITY.stream().noneMatch(this::hasBean);
    }

    private boolean hasBean(String type) {
        ClassLoader loader = RouteKeys.class.getClassLoader();
        return ClassUtils.isPresent(type, loader)
                && beans.getBeanNamesForType(ClassUtils.resolveClassName(type, loader), true, false).length > 0;
    }
}
