package dev.sluice.spring.web.reactive;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.web.ExceptionHandlers;
import dev.sluice.spring.web.RefusalCustomizer;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.ControllerAdvice;
import reactor.core.publisher.Mono;

/** Answers {@link dev.sluice.spring.RateLimitedException} with 429, wherever it surfaces in WebFlux. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ControllerAdvice.class, Mono.class})
@ConditionalOnBean(RuleRegistry.class)
public final class SluiceWebFluxExceptionAutoConfiguration {
    @Bean
    ExchangeRefusals sluiceExchangeRefusals(ObjectProvider<RefusalCustomizer> customizers) {
        return new ExchangeRefusals(customizers);
    }

    @Bean
    RateLimitedAdvice sluiceRateLimitedAdvice(ExchangeRefusals refusals, ListableBeanFactory beans) {
        return new RateLimitedAdvice(refusals, new ExceptionHandlers(beans, RateLimitedAdvice.class));
    }

    @Bean
    RateLimitedExceptionHandler sluiceRateLimitedExceptionHandler(ExchangeRefusals refusals) {
        return new RateLimitedExceptionHandler(refusals);
    }
}
