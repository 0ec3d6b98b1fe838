package dev.sluice.spring.web.servlet;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.web.ExceptionHandlers;
import dev.sluice.spring.web.RefusalCustomizer;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.EnumSet;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Answers {@link dev.sluice.spring.RateLimitedException} with 429, wherever it surfaces in Spring MVC or a filter. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ControllerAdvice.class, Filter.class, FilterRegistrationBean.class})
@ConditionalOnBean(RuleRegistry.class)
public final class SluiceServletExceptionAutoConfiguration {
    /** Within the filters of Spring Boot that observe a request, and around all others. */
    private static final int OUTERMOST = Ordered.HIGHEST_PRECEDENCE + 2;

    @Bean
    ServletRefusals sluiceServletRefusals(ObjectProvider<RefusalCustomizer> customizers) {
        return new ServletRefusals(customizers);
    }

    @Bean
    FilterRegistrationBean<RateLimitedExceptionFilter> sluiceRateLimitedExceptionFilter(ServletRefusals refusals) {
        FilterRegistrationBean<RateLimitedExceptionFilter> filter =
                new FilterRegistrationBean<>(new RateLimitedExceptionFilter(refusals));
        filter.setName("sluice-exceptions");
        filter.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR));
        filter.setOrder(OUTERMOST);
        return filter;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HandlerExceptionResolver.class)
    static class Mvc {
        @Bean
        RateLimitedExceptionResolver sluiceRateLimitedExceptionResolver(
                ServletRefusals refusals,
                ListableBeanFactory beans,
                @Qualifier("handlerExceptionResolver") ObjectProvider<HandlerExceptionResolver> springs) {
            return new RateLimitedExceptionResolver(
                    refusals, new ExceptionHandlers(beans, RateLimitedExceptionResolver.class), springs);
        }
    }
}
