package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.spring.method.SluiceMethodAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Rules that change while the application runs. */
@ExtendWith(OutputCaptureExtension.class)
class ReloadTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    static class Shop {
        @RateLimit(rule = "orders", priority = "background")
        public void order() {}

        @RateLimit(value = "1 per 1m", name = "search")
        public void search() {}
    }

    private static ApplicationContextRunner application(String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SluiceAutoConfiguration.class, SluiceMethodAutoConfiguration.class))
                .withPropertyValues("sluice.reload.interval=10ms")
                .withPropertyValues(properties);
    }

    /** In one step, so that nobody sees half of it, however slow the machine is. */
    private Path write(String name, String text) {
        Path next = overwrite("next", text);
        try {
            return Files.move(next, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path overwrite(String name, String text) {
        try {
            return Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String rule(String limit) {
        return "rules: [{ name: all, limits: " + limit + " }]\n";
    }

    private static void untilVersion(RuleRegistry registry, long version) {
        Eventually.holds(
                "version " + version, SOON, () -> registry.versions().get(0).number() == version);
    }

    private static void untilRejected(RuleRegistry registry, String problem) {
        Eventually.holds("rejected: " + problem, SOON, () -> {
            RejectedRules rejected = registry.rejected();
            return rejected != null && rejected.problems().toString().contains(problem);
        });
    }

    private static String limits(RuleRegistry registry) {
        return Objects.requireNonNull(registry.rule("all")).limits().get(0).text();
    }

    private void run(ApplicationContextRunner application, Consumer<RuleRegistry> test) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context.getBean(RuleRegistry.class));
        });
    }

    @Test
    void aFileThatChangesIsReadAgainAndABadOneChangesNothing(CapturedOutput output) {
        Path file = write("rules.yaml", rule("5 per 1m"));
        run(application("sluice.rules=" + file), registry -> {
            RuleEngine engine = registry.engine();
            engine.check(Request.builder().build()).join();
            write("rules.yaml", rule("7 per 1m"));
            untilVersion(registry, 2);
            assertThat(limits(registry)).startsWith("7 per 1m sliding-window");
            assertThat(remaining(engine)).as("one was counted, one is now").isEqualTo(5);

            write("rules.yaml", rule("7 pr 1m"));
            untilRejected(registry, "expected a limit such as");
            assertThat(limits(registry)).startsWith("7 per 1m sliding-window");
            assertThat(registry.rejections()).isEqualTo(1);
            assertThat(output).contains("rules.yaml:1:", "those before stay in force");

            write("rules.yaml", rule("9 per 1m"));
            untilVersion(registry, 3);
            assertThat(registry.rejected()).isNull();
        });
    }

    private static long remaining(RuleEngine engine) {
        Verdict verdict = engine.check(Request.builder().build()).join();
        return Objects.requireNonNull(verdict.decisive()).decision().remaining();
    }

    @Test
    void aFileThatIsGoneAndBackAndRenamedOver() throws IOException {
        Path file = write("rules.yaml", rule("5 per 1m"));
        run(application("sluice.rules=file:" + file), registry -> {
            try {
                Files.delete(file);
                untilRejected(registry, "rules.yaml");
                assertThat(limits(registry)).startsWith("5 per 1m");
                write("rules.yaml", rule("5 per 1m"));
                Eventually.holds("well again", SOON, () -> registry.rejected() == null);
                assertThat(registry.versions()).hasSize(1);

                write("rules.yaml", rule("6 per 1m"));
                untilVersion(registry, 2);
                assertThat(limits(registry)).startsWith("6 per 1m");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** A volume of Kubernetes: rules.yaml is a link into ..data, which is a link to a folder that is swapped. */
    @Test
    void linksThatAreSwapped() throws IOException {
        for (String each : List.of("a", "b")) {
            Files.createDirectory(folder.resolve(each));
            write(each + "/rules.yaml", rule(each.equals("a") ? "5 per 1m" : "6 per 1m"));
        }
        Path data = Files.createSymbolicLink(folder.resolve("..data"), Path.of("a"));
        Path link = Files.createSymbolicLink(folder.resolve("rules.yaml"), Path.of("..data/rules.yaml"));
        run(application("sluice.rules=" + link), registry -> {
            try {
                Files.move(
                        Files.createSymbolicLink(folder.resolve("..next"), Path.of("b")),
                        data,
                        StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            untilVersion(registry, 2);
            assertThat(limits(registry)).startsWith("6 per 1m");
        });
    }

    @Test
    void anEarlierVersionIsPutInForceAgain() {
        Path file = write("rules.yaml", rule("5 per 1m"));
        run(application("sluice.rules=" + file), registry -> {
            write("rules.yaml", rule("6 per 1m"));
            untilVersion(registry, 2);
            RuleVersion back = registry.rollBack(1);
            assertThat(back.number()).isEqualTo(3);
            assertThat(back.origin()).isEqualTo(RuleVersion.Origin.ROLLBACK);
            assertThat(limits(registry)).startsWith("5 per 1m");
            assertThatThrownBy(() -> registry.rollBack(9)).hasMessage("there is no version 9; kept are 1 to 3");
            write("rules.yaml", rule("8 per 1m"));
            untilVersion(registry, 4);
            for (int i = 0; i < 40; i++) {
                registry.replace(registry.configured());
            }
            assertThat(registry.versions()).hasSize(20);
            assertThat(registry.versions().get(0).number()).isEqualTo(44);
        });
    }

    static class Later {
        @RateLimit(rule = "orders")
        public Callable<String> later() {
            return () -> "later";
        }
    }

    /** Nobody would know when to release what a call holds that goes on after it returned. */
    @Test
    void rulesThatHoldAreNotTakenForMethodsThatCannotHold() {
        Path file = write("rules.yaml", "rules: [{ name: orders, limits: 5 per 1m }]\n");
        run(application("sluice.rules=" + file).withBean(Later.class), registry -> {
            assertThatThrownBy(
                            () -> registry.replace(RuleFile.parse("x", "rules: [{ name: orders, limits: 5 at once }]")))
                    .isInstanceOf(RateLimitConfigurationException.class)
                    .hasMessageContaining("Later.later()")
                    .hasMessageContaining("permits that are held until the call is done");
            assertThat(registry.versions()).hasSize(1);
        });
    }

    @Test
    void rulesThatAnnotationsUseStayAndTheirNamesAreNotTaken() {
        String rules = "rules: [{ name: orders, limits: 5 per 1m, priority: { background: 50% } }]\n";
        Path file = write("rules.yaml", rules);
        run(application("sluice.rules=" + file).withBean(Shop.class), registry -> {
            assertThatThrownBy(() -> registry.replace(RuleSet.of()))
                    .isInstanceOf(RateLimitConfigurationException.class)
                    .hasMessage("rule 'orders' is missing, and @RateLimit on Shop.order() uses it");
            assertThatThrownBy(
                            () -> registry.replace(RuleFile.parse("x", "rules: [{ name: orders, limits: 5 per 1m }]")))
                    .hasMessageContaining("rule 'orders' has no class 'background'");
            assertThat(registry.rule("orders")).isNotNull();
            assertThat(registry.versions()).hasSize(1);

            write("rules.yaml", rule("1 per 1m"));
            untilRejected(registry, "rule 'orders' is missing, and @RateLimit on Shop.order() uses it");
            write("rules.yaml", rules + "  # and so on\n" + "trusted-proxies: [10.0.0.1]\n");
            untilVersion(registry, 2);
            write("rules.yaml", rules.replace("]\n", ", { name: search, limits: 5 per 1m }]\n"));
            untilRejected(registry, "the name 'search' is taken by a rule");
        });
    }

    @Test
    void anotherStoreNeedsAnotherStart() {
        Path file = write("rules.yaml", rule("5 per 1m"));
        run(application("sluice.rules=" + file), registry -> {
            write("rules.yaml", "store: redis://127.0.0.1:1\n" + rule("5 per 1m"));
            untilRejected(registry, "store: a running application keeps its store");
        });
    }

    @Test
    void offIsOff() {
        Path file = write("rules.yaml", rule("5 per 1m"));
        application("sluice.rules=" + file, "sluice.reload.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(RuleReloader.class));
        application("sluice.rules=" + file, "sluice.reload.interval=0s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("sluice.reload.interval must be 10ms or more"));
    }

    /** Half a file is never in force, however it is cut. */
    @Test
    void aStormOfHalfWrittenFilesLeavesTheLastOne() {
        Path file = write("rules.yaml", rule("5 per 1m"));
        run(application("sluice.rules=" + file), registry -> {
            for (int i = 1; i <= 300; i++) {
                String text = rule(i + " per 1m");
                overwrite("rules.yaml", text.substring(0, text.length() * (i % 7) / 7));
                overwrite("rules.yaml", text);
            }
            Eventually.holds(
                    "the last one",
                    SOON,
                    () -> limits(registry).startsWith("300 per 1m") && registry.rejected() == null);
        });
    }

    /** What waits and what is held goes on under the new rules. */
    @Test
    void requestsThatWaitAndHoldOutliveAReload() {
        String rules = """
                rules:
                  - { name: all, limits: 1 at once, on-exceed: wait up to 1m }
                  - { name: rate, limits: %d per 1m, on-exceed: wait up to 1m }
                """;
        Path file = write("rules.yaml", rules.formatted(10));
        run(application("sluice.rules=" + file), registry -> {
            RuleEngine engine = registry.engine();
            Verdict held = engine.check(Request.builder().build()).join();
            CompletableFuture<Verdict> waiting = engine.check(Request.builder().build());
            write("rules.yaml", rules.formatted(20));
            untilVersion(registry, 2);
            assertThat(waiting).isNotDone();
            engine.release(held);
            assertThat(waiting.orTimeout(30, java.util.concurrent.TimeUnit.SECONDS)
                            .join()
                            .allowed())
                    .isTrue();
        });
    }

    private static void refresh(ConfigurableApplicationContext context, Map<String, Object> properties) {
        context.getEnvironment().getPropertySources().remove("refreshed");
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("refreshed", properties));
        context.publishEvent(new EnvironmentChangeEvent(context, properties.keySet()));
    }

    @Test
    void propertiesThatSpringCloudRefreshes() {
        application("sluice.rules[0].name=all", "sluice.rules[0].limits=5 per 1m")
                .run(context -> {
                    RuleRegistry registry = context.getBean(RuleRegistry.class);
                    refresh(context, Map.of("other", "1"));
                    assertThat(registry.versions()).hasSize(1);
                    refresh(context, Map.of("sluice.rules[0].name", "all", "sluice.rules[0].limits", "6 per 1m"));
                    assertThat(limits(registry)).startsWith("6 per 1m");
                    assertThat(registry.versions()).hasSize(2);
                    refresh(context, Map.of("sluice.rules[0].name", "all", "sluice.rules[0].limits", "6 pr 1m"));
                    assertThat(Objects.requireNonNull(registry.rejected())
                                    .problems()
                                    .toString())
                            .contains("sluice.rules[0].limits: expected a limit");
                    assertThat(limits(registry)).startsWith("6 per 1m");
                    refresh(context, Map.of("sluice.rules", "/no/such/file.yaml"));
                    assertThat(Objects.requireNonNull(registry.rejected())
                                    .problems()
                                    .toString())
                            .contains("/no/such/file.yaml");
                    Path file = write("rules.yaml", rule("7 per 1m"));
                    refresh(context, Map.of("sluice.rules", file.toString()));
                    assertThat(limits(registry)).startsWith("7 per 1m");
                    assertThat(registry.rejected()).isNull();
                    write("rules.yaml", rule("8 per 1m"));
                    Eventually.holds(
                            "watched from now on", SOON, () -> limits(registry).startsWith("8 per 1m"));
                });
    }

    @Test
    void rulesOfTheApplicationsOwnAreLeftAlone() {
        application()
                .withBean(RuleSet.class, () -> RuleSet.of(Rule.named("mine").build()))
                .run(context -> {
                    assertThat(context).doesNotHaveBean(RuleReloader.class);
                    assertThat(context.getBean(RuleRegistry.class).rules()).hasSize(1);
                });
    }
}
