package dev.sluice.spring.web.servlet;

import dev.sluice.spring.ForwardedHeaders;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.WebRules.Phase;
import dev.sluice.spring.web.RefusalCustomizer;
import dev.sluice.spring.web.WebRateLimiter;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
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
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletListenerRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.util.ClassUtils;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;

/** The servlet filter: one, or two with Spring Security, because the user is known only after it. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, FilterRegistrationBean.class})
@ConditionalOnBean(RuleRegistry.class)
@ConditionalOnProperty(
        name = {"sluice.enabled", "sluice.filter.enabled"},
        matchIfMissing = true)
public final class SluiceServletAutoConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(SluiceServletAutoConfiguration.class);
    private static final String SECURITY = "org.springframework.security.web.FilterChainProxy";

    /** What Spring MVC applies to a request, of its mappings and of annotations. */
    private static final String MAPPINGS = "mvcHandlerMappingIntrospector";

    private final RuleRegistry registry;
    private final SluiceProperties.Filter properties;
    private final ServletCors cors;
    private final ObservationRegistry observations;
    private final ServletRefusals refusals;

    SluiceServletAutoConfiguration(
            RuleRegistry registry,
            SluiceProperties properties,
            ListableBeanFactory beans,
            ObjectProvider<ObservationRegistry> observations,
            ObjectProvider<RefusalCustomizer> customizers) {
        this.registry = registry;
        this.cors = new ServletCors(
                request -> corsFilters(beans, request),
                () -> beans.containsBean(MAPPINGS)
                        ? Optional.of(beans.getBean(MAPPINGS, CorsConfigurationSource.class))
                        : Optional.empty());
        this.properties = properties.filter();
        this.observations = observations.getIfAvailable(() -> ObservationRegistry.NOOP);
        this.refusals = new ServletRefusals(customizers);
    }

    private static List<CorsFilter> corsFilters(ListableBeanFactory beans, HttpServletRequest request) {
        Stream<CorsFilter> own = CorsFilters.of(beans, request);
        return Stream.concat(own, hasSecurity() ? Security.corsFilters(beans, request) : Stream.empty())
                .toList();
    }

    private static boolean hasSecurity() {
        return ClassUtils.isPresent(SECURITY, SluiceFilter.class.getClassLoader());
    }

    @Bean
    @ConditionalOnMissingBean(name = "sluiceFilter")
    FilterRegistrationBean<SluiceFilter> sluiceFilter(Environment environment) {
        ForwardedHeaders.warnings(environment, registry.web(), true).forEach(LOG::warn);
        return filter(hasSecurity() ? Phase.BEFORE_USER : Phase.ALL, properties.order());
    }

    @Bean
    @ConditionalOnClass(name = SECURITY)
    @ConditionalOnMissingBean(name = "sluiceUserFilter")
    FilterRegistrationBean<SluiceFilter> sluiceUserFilter(Environment environment) {
        int security = environment.getProperty("spring.security.filter.order", Integer.class, -100);
        return filter(Phase.WITH_USER, security + 1);
    }

    @Bean
    ServletListenerRegistrationBean<RequestEnd> sluiceRequestEnd() {
        return new ServletListenerRegistrationBean<>(new RequestEnd());
    }

    private FilterRegistrationBean<SluiceFilter> filter(Phase phase, int order) {
        FilterRegistrationBean<SluiceFilter> filter = new FilterRegistrationBean<>(new SluiceFilter(
                new WebRateLimiter(registry, phase, properties.exclude()), cors, observations, refusals));
        filter.setName("sluice-" + phase);
        filter.setOrder(order);
        return filter;
    }

    /** Loaded only where the application has Spring Security. */
    private static final class Security {
        /** The filters within the first chain that is for the request. */
        static Stream<CorsFilter> corsFilters(ListableBeanFactory beans, HttpServletRequest request) {
            return beans.getBeanProvider(SecurityFilterChain.class)
                    .orderedStream()
                    .filter(chain -> chain.matches(request))
                    .limit(1)
                    .flatMap(chain -> chain.getFilters().stream())
                    .filter(CorsFilter.class::isInstance)
                    .map(CorsFilter.class::cast);
        }
    }
}
