package dev.sluice.spring.gateway;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.web.reactive.ExchangeRefusals;
import dev.sluice.spring.web.reactive.SluiceWebFluxExceptionAutoConfiguration;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cloud.gateway.config.GatewayAutoConfiguration;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** Makes Sluice the gateway's rate limiter. */
@AutoConfiguration(
        after = {SluiceAutoConfiguration.class, SluiceWebFluxExceptionAutoConfiguration.class},
        before = GatewayAutoConfiguration.class,
        beforeName = "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration")
@ConditionalOnBean(RuleRegistry.class)
@ConditionalOnProperty(name = "spring.cloud.gateway.server.webflux.enabled", matchIfMissing = true)
public final class SluiceGatewayAutoConfiguration {
    @Bean
    @Primary
    @ConditionalOnMissingBean
    SluiceRateLimiter sluiceRateLimiter(RuleRegistry registry, ConfigurationService configuration) {
        return new SluiceRateLimiter(registry, configuration);
    }

    @Bean
    RouteCheck sluiceRouteCheck(
            ObjectProvider<GatewayProperties> properties, SluiceRateLimiter limiter, ListableBeanFactory beans) {
        return new RouteCheck(properties, limiter, new RouteKeys(beans));
    }

    @Bean
    LimitedRouteFilter sluiceLimitedRouteFilter() {
        return new LimitedRouteFilter();
    }

    @Bean
    @ConditionalOnBean(ExchangeRefusals.class)
    RefusalGlobalFilter sluiceRefusalGlobalFilter(ExchangeRefusals refusals) {
        return new RefusalGlobalFilter(refusals);
    }
}
