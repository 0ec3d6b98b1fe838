package dev.sluice.spring.actuate.boot3;

import dev.sluice.Store;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.actuate.StoreHealth;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** The health of the store, on Spring Boot 3. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(RuleRegistry.class)
@ConditionalOnProperty(name = "management.health.sluice.enabled", matchIfMissing = true)
public final class SluiceHealthAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(name = "sluiceHealthIndicator")
    HealthIndicator sluiceHealthIndicator(Store store) {
        StoreHealth health = new StoreHealth(store);
        return () ->
                Health.status(health.status()).withDetails(health.details()).build();
    }
}
