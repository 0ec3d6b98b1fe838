package dev.sluice.spring.web;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Answers {@link dev.sluice.spring.RateLimitedException} with 429, on Spring MVC and WebFlux. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnBean(RuleRegistry.class)
public final class SluiceAdviceAutoConfiguration {
    @Bean
    RateLimitedAdvice sluiceRateLimitedAdvice() {
        return new RateLimitedAdvice();
    }
}
