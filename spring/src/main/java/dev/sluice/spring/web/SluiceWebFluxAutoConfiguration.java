package dev.sluice.spring.web;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.WebRules.Phase;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** The WebFlux filter: one, or two with Spring Security, because the user is known only after it. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({WebFilter.class, Mono.class})
@ConditionalOnBean(RuleRegistry.class)
@ConditionalOnProperty(
        name = {"sluice.enabled", "sluice.filter.enabled"},
        matchIfMissing = true)
public final class SluiceWebFluxAutoConfiguration {
    private static final String SECURITY = "org.springframework.security.web.server.WebFilterChainProxy";
    /** The order of Spring Security's filter is always -100 here. */
    private static final int AFTER_SECURITY = -99;

    @Bean
    @ConditionalOnMissingBean(name = "sluiceWebFilter")
    SluiceWebFilter sluiceWebFilter(
            RuleRegistry registry, SluiceProperties properties, ObjectProvider<RefusalCustomizer> customizers) {
        boolean security = ClassUtils.isPresent(SECURITY, SluiceWebFilter.class.getClassLoader());
        Phase phase = security ? Phase.BEFORE_USER : Phase.ALL;
        return filter(registry, properties, phase, properties.filter().order(), customizers);
    }

    @Bean
    @ConditionalOnClass(name = SECURITY)
    @ConditionalOnMissingBean(name = "sluiceUserWebFilter")
    SluiceWebFilter sluiceUserWebFilter(
            RuleRegistry registry, SluiceProperties properties, ObjectProvider<RefusalCustomizer> customizers) {
        return filter(registry, properties, Phase.WITH_USER, AFTER_SECURITY, customizers);
    }

    private static SluiceWebFilter filter(
            RuleRegistry registry,
            SluiceProperties properties,
            Phase phase,
            int order,
            ObjectProvider<RefusalCustomizer> customizers) {
        return new SluiceWebFilter(
                new WebRateLimiter(registry, phase, properties.filter().exclude()),
                order,
                new ExchangeRefusals(customizers));
    }
}
