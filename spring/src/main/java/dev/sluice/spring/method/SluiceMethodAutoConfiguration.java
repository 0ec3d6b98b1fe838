package dev.sluice.spring.method;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/** Applies {@link dev.sluice.spring.RateLimit} to beans. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnBean(RuleRegistry.class)
@ConditionalOnProperty(name = "sluice.enabled", matchIfMissing = true)
public final class SluiceMethodAutoConfiguration {
    /** Created before other beans, and so looks up its dependencies only when a bean has an annotation. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RateLimitPostProcessor sluiceRateLimits(
            ConfigurableBeanFactory beans,
            ObjectProvider<RuleRegistry> registry,
            ObjectProvider<SluiceProperties> properties,
            ObjectProvider<ObservationRegistry> observations,
            Environment environment) {
        RateLimitPostProcessor processor = new RateLimitPostProcessor(
                SingletonSupplier.of(() -> new RateLimitAnnotationParser(
                        beans, registry.getObject(), properties.getObject().priorities())),
                SingletonSupplier.of(() -> new RateLimitExecutor(
                        registry.getObject(),
                        observations.getIfAvailable(() -> ObservationRegistry.NOOP),
                        executor(beans))));
        processor.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
        return processor;
    }

    private static Executor executor(ConfigurableBeanFactory beans) {
        return beans.containsBean("applicationTaskExecutor")
                        && beans.getBean("applicationTaskExecutor") instanceof Executor executor
                ? executor
                : ForkJoinPool.commonPool();
    }
}
