package dev.sluice.spring.web.reactive;

import dev.sluice.spring.ForwardedHeaders;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.WebRules.Phase;
import dev.sluice.spring.web.RefusalCustomizer;
import dev.sluice.spring.web.WebRateLimiter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.util.ClassUtils;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
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
    private static final Logger LOG = LoggerFactory.getLogger(SluiceWebFluxAutoConfiguration.class);
    private static final String SECURITY = "org.springframework.security.web.server.WebFilterChainProxy";
    /** The order of Spring Security's filter is always -100 here. */
    private static final int AFTER_SECURITY = -99;

    private final ReactiveCors cors;

    SluiceWebFluxAutoConfiguration(ListableBeanFactory beans) {
        this.cors = new ReactiveCors(
                exchange -> corsFilters(beans, exchange),
                () -> beans.getBeanProvider(HandlerMapping.class).orderedStream());
    }

    private static Flux<CorsWebFilter> corsFilters(ListableBeanFactory beans, ServerWebExchange exchange) {
        Flux<CorsWebFilter> own =
                Flux.fromStream(beans.getBeanProvider(CorsWebFilter.class).orderedStream());
        return hasSecurity() ? own.concatWith(Security.corsFilters(beans, exchange)) : own;
    }

    private static boolean hasSecurity() {
        return ClassUtils.isPresent(SECURITY, SluiceWebFilter.class.getClassLoader());
    }

    @Bean
    @ConditionalOnMissingBean(name = "sluiceWebFilter")
    SluiceWebFilter sluiceWebFilter(
            RuleRegistry registry,
            SluiceProperties properties,
            Environment environment,
            ObjectProvider<RefusalCustomizer> customizers) {
        ForwardedHeaders.warnings(environment, registry.web(), false).forEach(LOG::warn);
        Phase phase = hasSecurity() ? Phase.BEFORE_USER : Phase.ALL;
        return filter(registry, properties, phase, properties.filter().order(), customizers);
    }

    @Bean
    @ConditionalOnClass(name = SECURITY)
    @ConditionalOnMissingBean(name = "sluiceUserWebFilter")
    SluiceWebFilter sluiceUserWebFilter(
            RuleRegistry registry, SluiceProperties properties, ObjectProvider<RefusalCustomizer> customizers) {
        return filter(registry, properties, Phase.WITH_USER, AFTER_SECURITY, customizers);
    }

    private SluiceWebFilter filter(
            RuleRegistry registry,
            SluiceProperties properties,
            Phase phase,
            int order,
            ObjectProvider<RefusalCustomizer> customizers) {
        return new SluiceWebFilter(
                new WebRateLimiter(registry, phase, properties.filter().exclude()),
                cors,
                order,
                new ExchangeRefusals(customizers));
    }

    /** Loaded only where the application has Spring Security. */
    private static final class Security {
        /** The filters within the first chain that is for the exchange. */
        static Flux<CorsWebFilter> corsFilters(ListableBeanFactory beans, ServerWebExchange exchange) {
            return Flux.fromStream(
                            beans.getBeanProvider(SecurityWebFilterChain.class).orderedStream())
                    .filterWhen(chain -> chain.matches(exchange))
                    .next()
                    .flatMapMany(SecurityWebFilterChain::getWebFilters)
                    .ofType(CorsWebFilter.class);
        }
    }
}
