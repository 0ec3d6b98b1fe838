package dev.sluice.spring.test;

import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.method.SluiceMethodAutoConfiguration;
import dev.sluice.spring.web.SluiceAdviceAutoConfiguration;
import dev.sluice.spring.web.SluiceServletAutoConfiguration;
import dev.sluice.spring.web.SluiceWebFluxAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * Runs a test with limits in memory, on a {@link TestClock} that can be injected and moved. With {@code @SpringBootTest} it
 * replaces the application's store; with slices such as {@code @WebMvcTest} and {@code @WebFluxTest} it adds the
 * auto-configurations of Sluice.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ImportAutoConfiguration({
    SluiceAutoConfiguration.class,
    SluiceMethodAutoConfiguration.class,
    SluiceServletAutoConfiguration.class,
    SluiceWebFluxAutoConfiguration.class,
    SluiceAdviceAutoConfiguration.class
})
@Import(TestStore.class)
public @interface AutoConfigureSluice {}
