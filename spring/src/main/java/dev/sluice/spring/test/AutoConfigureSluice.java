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
 * Brings limits into a test, in memory and on a {@link TestClock} that the test can have injected and moves: beside
 * {@code @SpringBootTest} it takes the place of the application's store, beside {@code @WebMvcTest}, {@code @WebFluxTest}
 * and the like it brings what these leave out.
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
