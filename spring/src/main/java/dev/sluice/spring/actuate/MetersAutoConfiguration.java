package dev.sluice.spring.actuate;

import dev.sluice.Store;
import dev.sluice.rules.RuleEngine;
import dev.sluice.spring.RuleBook;
import dev.sluice.spring.SluiceAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters of what rules say, and notes on observations. */
@AutoConfiguration(
        after = SluiceAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(RuleBook.class)
public final class MetersAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    SluiceMeters sluiceMeters(RuleEngine engine, Store store) {
        return new SluiceMeters(engine, store);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    static class Observations {
        @Bean
        @ConditionalOnMissingBean
        SluiceObservations sluiceObservations(RuleEngine engine, ObservationRegistry registry) {
            SluiceObservations observations = new SluiceObservations(registry);
            engine.listener(observations);
            return observations;
        }
    }
}
