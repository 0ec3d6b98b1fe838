package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;

@ExtendWith(OutputCaptureExtension.class)
class PropertyNameCheckTest {
    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            sluice.rule[0].name=a         | sluice.rule: there is no such property; did you mean 'sluice.rules'?
            sluice.enabeld=false          | sluice.enabeld: there is no such property; did you mean 'sluice.enabled'?
            sluice.filter.exlude=/free    | sluice.filter.exlude: there is no such property; did you mean 'sluice.filter.exclude'?
            sluice.filter.exlude[0]=/free | sluice.filter.exlude: there is no such property; did you mean 'sluice.filter.exclude'?
            sluice.redis.tiemout.ms=5     | sluice.redis.tiemout: there is no such property; did you mean 'sluice.redis.timeout'?
            sluice.enabled.always=true    | sluice.enabled.always: sluice.enabled has a value, and nothing below it
            sluice.telemetry=1            | sluice.telemetry: there is no such property; known are sluice.enabled, sluice.store,
            """)
    void aNameThatNobodyKnowsEndsTheStart(String property, String message) {
        application
                .withPropertyValues(property)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(RateLimitConfigurationException.class)
                        .hasMessageContaining(message));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sluice.filter.exclude[0]=/free",
                "sluice.filter.exclude=/free",
                "sluice.FILTER.Exclude=/free",
                "sluice.trusted-proxies[0]=10.0.0.0/8",
                "sluice.trustedProxies=10.0.0.0/8",
                "sluice.path-case=ignore",
                "sluice.priorities.vip=90",
                "sluice.priorities[vip.gold]=90",
                "sluice.reload.interval=5s",
                "sluice.redis.prefix=x",
                "sluice-rate-limiter.limits=5 per 1m",
                "sluiceful.name=x",
                "other.sluice.name=x"
            })
    void aNameThatIsKnownDoesNot(String property) {
        application
                .withPropertyValues(property)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void allOfThemAreNamedWithFileAndLine(@TempDir Path folder, CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("application.yml"), """
                sluice:
                  enabeld: true
                  filter:
                    exlude: [/free]
                  rule:
                    - name: a
                      limits: 5 per 1m
                """);
        SpringApplicationBuilder start =
                new SpringApplicationBuilder(SluiceAutoConfiguration.class).web(WebApplicationType.NONE);
        try (ConfigurableApplicationContext started = start.run("--spring.config.location=" + file)) {
            assertThat(started).as("it started").isNull();
        } catch (RateLimitConfigurationException expected) {
            assertThat(expected.problems()).hasSize(3);
        }
        assertThat(output)
                .contains("The rate limits are misconfigured:")
                .contains("sluice.enabeld: there is no such property; did you mean 'sluice.enabled'? (")
                .contains("application.yml] - 2:12)")
                .contains("application.yml] - 4:14)")
                .contains("sluice.rule: there is no such property; did you mean 'sluice.rules'?")
                .doesNotContain("at dev.sluice");
    }

    @ConfigurationProperties("sluice.shop")
    record Shop(String name) {}

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(Shop.class)
    static class WithPropertiesOfItsOwn {}

    @Test
    void whatAnotherClassBindsIsKnown() {
        application
                .withUserConfiguration(WithPropertiesOfItsOwn.class)
                .withPropertyValues("sluice.shop.name=tea", "sluice.shop.more[0].x=y")
                .run(context -> assertThat(context.getBean(Shop.class).name()).isEqualTo("tea"));
        application
                .withUserConfiguration(WithPropertiesOfItsOwn.class)
                .withPropertyValues("sluice.shops.name=tea")
                .run(context -> assertThat(context).hasFailed());
    }

    /** Kubernetes sets SLUICE_PORT and more where there is a service of that name. */
    @Test
    void variablesAndSystemPropertiesAreLogged(CapturedOutput output) {
        application
                .withSystemProperties("sluice.enabeld=false")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                "systemEnvironment",
                                new SystemEnvironmentPropertySource(
                                        "systemEnvironment",
                                        Map.of(
                                                "SLUICE_HOME", "/opt/sluice",
                                                "SLUICE_TRUSTED_PROXIES", "10.0.0.1",
                                                "SLUICE_FILTER_EXCLUDE_0_", "/free",
                                                "SLUICE_RULES_0_NAME", "all",
                                                "SLUICE_RULES_0_LIMITS", "5 per 1m",
                                                "SLUICE_RULES_0_ON_EXCEED", "shadow",
                                                "SLUICE_RULES_0_ONSTOREFAILURE", "deny",
                                                "SLUICE_RULES_0_WHEN_PATH", "/x"))))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .contains("Sluice ignores variables and system properties that it does not know: ")
                            .containsPattern("sluice\\.home[;,\\n]")
                            .contains("sluice.enabeld, did you mean 'sluice.enabled'?")
                            .doesNotContain("trusted");
                    RuleRegistry registry = context.getBean(RuleRegistry.class);
                    assertThat(registry.rules()).hasSize(1);
                    assertThat(dev.sluice.rules.file.RuleText.of(
                                    registry.rules().get(0)))
                            .contains("on-exceed: shadow", "on-store-failure: deny", "path: /x");
                    assertThat(registry.configured().trustedProxies().networks())
                            .hasSize(1);
                });
    }
}
