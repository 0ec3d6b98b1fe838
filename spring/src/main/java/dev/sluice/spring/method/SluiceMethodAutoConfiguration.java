package dev.sluice.spring.method;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.web.reactive.AbandonedBodyFilter;
import io.micrometer.observation.ObservationRegistry;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;

/** Applies {@link dev.sluice.spring.RateLimit} to beans. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnBean(RuleRegistry.class)
@ConditionalOnProperty(name = "sluice.enabled", matchIfMissing = true)
public final class SluiceMethodAutoConfiguration {
    private static final String HANDLERS = "sluiceHandlerAdapter";

    /** Created before other beans, and so looks up its dependencies only when a bean has an annotation. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RateLimitPostProcessor sluiceRateLimits(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<RuleRegistry> registry,
            ObjectProvider<SluiceProperties> properties,
            ObjectProvider<ObservationRegistry> observations,
            Environment environment) {
        RateLimitPostProcessor processor = new RateLimitPostProcessor(
                beans,
                SingletonSupplier.of(() -> new RateLimitAnnotationParser(
                        beans,
                        registry.getObject(),
                        properties.getObject().priorities(),
                        beans.containsBeanDefinition(HANDLERS))),
                SingletonSupplier.of(() -> new RateLimitExecutor(
                        registry.getObject(),
                        observations.getIfAvailable(() -> ObservationRegistry.NOOP),
                        executor(beans))));
        processor.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
        return processor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AdvicePlacement sluiceAdvicePlacement(ObjectProvider<SluiceProperties> properties) {
        return new AdvicePlacement(SingletonSupplier.of(() -> {
            Integer order = properties.getObject().method().order();
            return order == null ? OptionalInt.empty() : OptionalInt.of(order);
        }));
    }

    private static Executor executor(ConfigurableBeanFactory beans) {
        return beans.containsBean("applicationTaskExecutor")
                        && beans.getBean("applicationTaskExecutor") instanceof Executor executor
                ? executor
                : ForkJoinPool.commonPool();
    }

    /** Handler methods of WebFlux that return a value, and bodies of which nothing is read any more. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RequestMappingHandlerAdapter.class)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class WebFlux {
        @Bean(HANDLERS)
        BlockingHandlerAdapter sluiceHandlerAdapter(
                ApplicationContext context,
                ConfigurableBeanFactory beans,
                ObjectProvider<RequestMappingHandlerAdapter> adapter,
                Environment environment) {
            boolean virtual = environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false);
            return new BlockingHandlerAdapter(context, adapter, virtual ? executor(beans) : null);
        }

        @Bean
        AbandonedBodyFilter sluiceAbandonedBodyFilter() {
            return new AbandonedBodyFilter();
        }
    }
}
