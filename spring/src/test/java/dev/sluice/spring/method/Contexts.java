package dev.sluice.spring.method;

import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.test.TestClock;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Small applications around one bean. */
final class Contexts {
    private Contexts() {}

    /** On a clock that stands still. */
    static ApplicationContextRunner of(Class<?> bean, String... properties) {
        return waiting(bean, properties).withBean(TestClock.class);
    }

    /** On the clock of the machine. */
    static ApplicationContextRunner waiting(Class<?> bean, String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SluiceAutoConfiguration.class, SluiceMethodAutoConfiguration.class))
                .withBean(bean)
                .withPropertyValues(properties);
    }
}
