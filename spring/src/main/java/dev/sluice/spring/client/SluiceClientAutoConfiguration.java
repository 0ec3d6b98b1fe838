package dev.sluice.spring.client;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Interceptors and filters for the HTTP clients of the application. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnBean(RuleRegistry.class)
public final class SluiceClientAutoConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.http.client.ClientHttpRequestInterceptor")
    static class Calls {
        @Bean
        @ConditionalOnMissingBean
        ClientRateLimitInterceptors sluiceClientRateLimitInterceptors(RuleRegistry registry) {
            return new ClientRateLimitInterceptors(registry);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "feign.Capability")
    static class Feign {
        @Bean
        @ConditionalOnMissingBean
        ClientRateLimitCapabilities sluiceClientRateLimitCapabilities(RuleRegistry registry) {
            return new ClientRateLimitCapabilities(registry);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.web.reactive.function.client.ExchangeFilterFunction")
    static class Exchanges {
        @Bean
        @ConditionalOnMissingBean
        ClientRateLimitFilters sluiceClientRateLimitFilters(RuleRegistry registry) {
            return new ClientRateLimitFilters(registry);
        }
    }
}
