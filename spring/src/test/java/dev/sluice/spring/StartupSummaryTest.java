package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisServer;
import dev.sluice.spring.method.SluiceMethodAutoConfiguration;
import dev.sluice.spring.web.reactive.SluiceWebFluxAutoConfiguration;
import dev.sluice.spring.web.servlet.SluiceServletAutoConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The line at start. Spring Security is on the class path here, so that there are two filters. */
@ExtendWith(OutputCaptureExtension.class)
class StartupSummaryTest {
    private static final AutoConfigurations ALL = AutoConfigurations.of(
            SluiceAutoConfiguration.class,
            SluiceMethodAutoConfiguration.class,
            SluiceServletAutoConfiguration.class,
            SluiceWebFluxAutoConfiguration.class);
    private static final String[] RULES = {"sluice.rules[0].name=all", "sluice.rules[0].limits=5 per 1m"};

    static class Shop {
        @RateLimit("5 per 1m")
        public void order() {}
    }

    /** Applications of other tests in this JVM may have silenced it. */
    @BeforeEach
    void logs() {
        LoggingSystem.get(getClass().getClassLoader()).setLogLevel(StartupSummary.class.getName(), LogLevel.INFO);
    }

    @Test
    void servlet(CapturedOutput output) {
        new WebApplicationContextRunner()
                .withConfiguration(ALL)
                .withBean(Shop.class)
                .withPropertyValues(RULES)
                .run(context -> assertThat(output)
                        .containsOnlyOnce("Sluice: store: memory; rules: 1 and 1 of annotations; filter: order -110, "
                                + "order -99 for rules that need the user"));
    }

    @Test
    void webFlux(CapturedOutput output) {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues(RULES)
                .withPropertyValues("sluice.filter.order=-200", "sluice.reload.enabled=false")
                .run(context -> assertThat(output)
                        .containsOnlyOnce(
                                "Sluice: store: memory; rules: 1; filter: order -200, order -99 for rules that "
                                        + "need the user; off: reload (sluice.reload.enabled: false)"));
    }

    @Test
    void whatIsOff(CapturedOutput output) {
        new WebApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues(RULES)
                .withPropertyValues("sluice.filter.enabled=false", "management.health.sluice.enabled=false")
                .run(context -> assertThat(output)
                        .contains("rules: 1; off: filter (sluice.filter.enabled: false), health "
                                + "(management.health.sluice.enabled: false)"));
        new ApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues("sluice.enabled=false")
                .run(context ->
                        assertThat(output).contains("Sluice is off (sluice.enabled: false): nothing is limited"));
    }

    @Test
    void redis(CapturedOutput output) {
        try (RedisServer redis = RedisServer.start()) {
            new ApplicationContextRunner()
                    .withConfiguration(ALL)
                    .withPropertyValues("sluice.store=" + redis.url())
                    .run(context -> assertThat(output).containsOnlyOnce("Sluice: store: Redis; rules: 0"));
        }
    }
}
