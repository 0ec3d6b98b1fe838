package dev.sluice.spring.actuate;

import dev.sluice.Store;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint, and the health of the store: Boot 3 and 4 have that in different places, and nothing else. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnClass(Endpoint.class)
@ConditionalOnBean(RuleRegistry.class)
public final class SluiceActuatorAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    SluiceEndpoint sluiceEndpoint(RuleRegistry registry, Store store) {
        return new SluiceEndpoint(registry, StoreHealth.name(store));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
    @ConditionalOnProperty(name = "management.health.sluice.enabled", matchIfMissing = true)
    static class Boot3 {
        @Bean
        @ConditionalOnMissingBean(name = "sluiceHealthIndicator")
        HealthOnBoot3 sluiceHealthIndicator(Store store) {
            return new HealthOnBoot3(new StoreHealth(store));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    @ConditionalOnProperty(name = "management.health.sluice.enabled", matchIfMissing = true)
    static class Boot4 {
        @Bean
        @ConditionalOnMissingBean(name = "sluiceHealthIndicator")
        HealthOnBoot4 sluiceHealthIndicator(Store store) {
            return new HealthOnBoot4(new StoreHealth(store));
        }
    }
}
