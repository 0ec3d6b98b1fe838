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
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** The servlet filter: one, or two with Spring Security, because the user is known only after it. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, FilterRegistrationBean.class})
@ConditionalOnBean(RuleRegistry.class)
@ConditionalOnProperty(
        name = {"sluice.enabled", "sluice.filter.enabled"},
        matchIfMissing = true)
public final class SluiceServletAutoConfiguration {
    private static final String SECURITY = "org.springframework.security.web.FilterChainProxy";

    private final RuleRegistry registry;
    private final SluiceProperties.Filter properties;
    private final ObservationRegistry observations;
    private final ServletRefusals refusals;

    SluiceServletAutoConfiguration(
            RuleRegistry registry,
            SluiceProperties properties,
            ObjectProvider<ObservationRegistry> observations,
            ObjectProvider<RefusalCustomizer> customizers) {
        this.registry = registry;
        this.properties = properties.filter();
        this.observations = observations.getIfAvailable(() -> ObservationRegistry.NOOP);
        this.refusals = new ServletRefusals(customizers);
    }

    @Bean
    @ConditionalOnMissingBean(name = "sluiceFilter")
    FilterRegistrationBean<SluiceFilter> sluiceFilter() {
        boolean security = ClassUtils.isPresent(SECURITY, SluiceFilter.class.getClassLoader());
        return filter(security ? Phase.BEFORE_USER : Phase.ALL, properties.order());
    }

    @Bean
    @ConditionalOnClass(name = SECURITY)
    @ConditionalOnMissingBean(name = "sluiceUserFilter")
    FilterRegistrationBean<SluiceFilter> sluiceUserFilter(Environment environment) {
        int security = environment.getProperty("spring.security.filter.order", Integer.class, -100);
        return filter(Phase.WITH_USER, security + 1);
    }

    private FilterRegistrationBean<SluiceFilter> filter(Phase phase, int order) {
        FilterRegistrationBean<SluiceFilter> filter = new FilterRegistrationBean<>(
                new SluiceFilter(new WebRateLimiter(registry, phase, properties.exclude()), observations, refusals));
        filter.setName("sluice-" + phase);
        filter.setOrder(order);
        return filter;
    }
}
