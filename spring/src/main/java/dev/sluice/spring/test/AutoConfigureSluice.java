package dev.sluice.spring.test;

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
 * replaces the application's store; with slices such as {@code @WebMvcTest}, {@code @WebFluxTest}, {@code @RestClientTest}
 * and {@code @DataJpaTest} it adds the auto-configurations of Sluice, which they leave out.
 *
 * <p>Each test method starts with nothing counted and the clock at its start. Test methods that run at the same time in one
 * application share its counters and would reset each other's: run them one after another, or set {@link #reset} to false
 * and use a key for each.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ImportAutoConfiguration
@Import(TestCounters.class)
public @interface AutoConfigureSluice {
    /** Whether counters and clock are reset before each test method. */
    boolean reset() default true;
}
