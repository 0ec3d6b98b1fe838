package dev.sluice.spring.web;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.WebRules.Phase;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The servlet filter: one, or two with Spring Security, because the user is known only after it. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, FilterRegistrationBean.class})
@ConditionalOnBean(RuleRegistry.class)
@ConditionalOnProperty(name = "sluice.filter.enabled", matchIfMissing = true)
public final class SluiceServletAutoConfiguration {
    private static final String SECURITY = "org.springframework.security.web.FilterChainProxy";

    private static FilterRegistrationBean<SluiceFilter> filter(
            RuleRegistry registry,
            SluiceProperties properties,
            ObjectProvider<ObservationRegistry> observations,
            Phase phase,
            int order) {
        FilterRegistrationBean<SluiceFilter> filter = new FilterRegistrationBean<>(new SluiceFilter(
                new WebRateLimiter(registry, phase, properties.filter().exclude()),
                observations.getIfAvailable(() -> ObservationRegistry.NOOP)));
        filter.setName("sluice-" + phase);
        filter.setOrder(order);
        return filter;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = SECURITY)
    static class AroundSecurity {
        @Bean
        @ConditionalOnMissingBean(name = "sluiceFilter")
        FilterRegistrationBean<SluiceFilter> sluiceFilter(
                RuleRegistry registry, SluiceProperties properties, ObjectProvider<ObservationRegistry> observations) {
            return filter(
                    registry,
                    properties,
                    observations,
                    Phase.BEFORE_USER,
                    properties.filter().order());
        }

        @Bean
        @ConditionalOnMissingBean(name = "sluiceUserFilter")
        FilterRegistrationBean<SluiceFilter> sluiceUserFilter(
                RuleRegistry registry,
                SluiceProperties properties,
                ObjectProvider<ObservationRegistry> observations,
                Environment environment) {
            int security = environment.getProperty("spring.security.filter.order", Integer.class, -100);
            return filter(registry, properties, observations, Phase.WITH_USER, security + 1);
        }
    }

    @Bean
    @ConditionalOnMissingBean(name = "sluiceFilter")
    FilterRegistrationBean<SluiceFilter> sluiceFilter(
            RuleRegistry registry, SluiceProperties properties, ObjectProvider<ObservationRegistry> observations) {
        return filter(
                registry,
                properties,
                observations,
                Phase.ALL,
                properties.filter().order());
    }
}
