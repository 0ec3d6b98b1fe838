package dev.sluice.spring.actuate;

import dev.sluice.Store;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Metrics of decisions, of the store, and of changes of the rules. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(RuleRegistry.class)
public final class SluiceMetricsAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    SluiceMetrics sluiceMetrics(RuleRegistry registry, Store store) {
        return new SluiceMetrics(registry, store);
    }
}
