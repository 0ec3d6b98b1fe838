package dev.sluice.spring.client;

import dev.sluice.spring.RuleBook;
import dev.sluice.spring.SluiceAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Limits for calls that the application makes, to be put into its clients. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnBean(RuleBook.class)
public final class ClientAutoConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.http.client.ClientHttpRequestInterceptor")
    static class Calls {
        @Bean
        @ConditionalOnMissingBean
        PacedCalls sluicePacedCalls(RuleBook book) {
            return new PacedCalls(book);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.web.reactive.function.client.ExchangeFilterFunction")
    static class Exchanges {
        @Bean
        @ConditionalOnMissingBean
        PacedExchanges sluicePacedExchanges(RuleBook book) {
            return new PacedExchanges(book);
        }
    }
}
