package dev.sluice.spring.actuate;

import dev.sluice.Store;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code /actuator/sluice}. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnClass(Endpoint.class)
@ConditionalOnBean(RuleRegistry.class)
public final class SluiceActuatorAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    SluiceEndpoint sluiceEndpoint(RuleRegistry registry, Store store) {
        return new SluiceEndpoint(registry, new StoreHealth(store));
    }
}
