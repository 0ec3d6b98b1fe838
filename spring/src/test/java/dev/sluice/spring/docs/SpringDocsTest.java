package dev.sluice.spring.docs;

import static dev.sluice.assertj.SluiceAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.rules.RuleSet;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.docs.DocsApp.Newsletter;
import dev.sluice.spring.docs.DocsApp.Shop;
import dev.sluice.spring.docs.DocsApp.User;
import dev.sluice.spring.test.AutoConfigureSluice;
import dev.sluice.spring.test.TestClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** What docs/spring.md shows is compiled here, word for word, and does what the page says. */
@SuppressWarnings("NullAway.Init")
class SpringDocsTest {
    private static final Path PAGE = Path.of("../docs/spring.md");
    private static final Path SOURCES = Path.of("../spring/src/test/java/dev/sluice/spring/docs");
    private static final Path GATEWAY = Path.of("../spring-gateway/src/test/java/dev/sluice/spring/gateway");

    @TempDir
    Path folder;

    private static Stream<String> snippets(String language) throws IOException {
        return Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(PAGE))
                .results()
                .map(match -> match.group(1));
    }

    private static String squeezed(String text) {
        return text.replaceAll("\\s+", "");
    }

    @TestFactory
    Stream<DynamicTest> everyJavaSnippetIsCompiled() throws IOException {
        String compiled = compiled(SOURCES) + compiled(GATEWAY);
        return snippets("java")
                .flatMap(SpringDocsTest::pieces)
                .map(piece -> DynamicTest.dynamicTest(
                        piece.lines().findFirst().orElse(""),
                        () -> assertThat(compiled).contains(squeezed(piece))));
    }

    /** Each import by itself, and each class, method or bean. */
    private static Stream<String> pieces(String snippet) {
        Stream<String> imports = snippet.lines().filter(line -> line.startsWith("import "));
        String rest = snippet.replaceAll("(?m)^import .*\n", "").strip();
        return Stream.concat(imports, Stream.of(rest.split("\n\n(?=@|[A-Z])")));
    }

    private static String compiled(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(SpringDocsTest::read).map(SpringDocsTest::squeezed).collect(Collectors.joining());
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @TestFactory
    Stream<DynamicTest> everyYamlSnippetStartsAnApplication() throws IOException {
        return snippets("yaml")
                .map(yaml ->
                        DynamicTest.dynamicTest(yaml.lines().skip(1).findFirst().orElse(""), () -> {
                            Path file = Files.writeString(folder.resolve("application.yml"), yaml);
                            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(
                                            SluiceAutoConfiguration.class)
                                    .web(WebApplicationType.NONE)
                                    .run("--spring.config.location=" + file, "--spring.main.banner-mode=off")) {
                                long rules = yaml.lines()
                                        .filter(line -> line.matches(" *- name: [a-z-]+"))
                                        .count();
                                assertThat(context.getBean(RuleSet.class).rules())
                                        .hasSize((int) rules);
                                assertThat(context.getBean(SluiceProperties.class)
                                                .enabled())
                                        .isTrue();
                            }
                        }));
    }

    @Nested
    @TestPropertySource(
            properties = {
                "sluice.rules[0].name=github",
                "sluice.rules[0].limits=1 per 1s",
                "sluice.rules[1].name=gitlab",
                "sluice.rules[1].limits=1 per 1s"
            })
    @SpringBootTest
    @AutoConfigureSluice
    class NewsletterTest {
        @Autowired
        Newsletter newsletter;

        @Autowired
        TestClock clock;

        @Autowired
        RuleEngine rules;

        @Test
        void onceADay() {
            newsletter.send();
            assertThatThrownBy(newsletter::send).isInstanceOf(RateLimitedException.class);
            clock.advance(Duration.ofDays(1));
            newsletter.send();
        }

        @Test
        void aRuleByItsName() {
            assertThat(rules).rule("github").key("").allows(1).thenDeniesFor(Duration.ofMillis(1100));
        }

        @Test
        void aCallThatWaits() {
            assertThat(newsletter.digest()).isEqualTo("digest");
            CompletableFuture<String> second = CompletableFuture.supplyAsync(newsletter::digest);
            clock.awaitWaiters(1);
            clock.advance(Duration.ofMinutes(1));
            assertThat(second.join()).isEqualTo("digest");
        }
    }

    @Nested
    @TestPropertySource(
            properties = {
                "sluice.rules[0].name=github",
                "sluice.rules[0].limits=1 per 1s",
                "sluice.rules[1].name=gitlab",
                "sluice.rules[1].limits=1 per 1s"
            })
    @SpringJUnitConfig(DocsApp.class)
    @AutoConfigureSluice
    class ShopTest {
        @Test
        void theOthersDoAsTheySay(@Autowired Shop shop) {
            for (int i = 0; i < 5; i++) {
                assertThat(shop.order(new User("ann"), "tea")).isEqualTo("ordered tea");
            }
            assertThatThrownBy(() -> shop.order(new User("ann"), "tea")).isInstanceOf(RateLimitedException.class);
            assertThat(shop.report("acme")).isEqualTo("report for acme");
            List<String> found =
                    Stream.generate(() -> shop.search("tea")).limit(26).toList();
            assertThat(found.get(24)).isEqualTo("fresh results for tea");
            assertThat(found.get(25)).isEqualTo("yesterday's results for tea");
            assertThat(shop.balance("1").block()).isEqualTo("balance of 1");
            for (int i = 0; i < 5; i++) {
                assertThat(shop.login("ann", "secret of ann")).isTrue();
            }
            for (int i = 0; i < 3; i++) {
                assertThat(shop.login("ann", "guess " + i)).isFalse();
            }
            assertThatThrownBy(() -> shop.login("ann", "secret of ann")).isInstanceOf(RateLimitedException.class);
        }
    }
}
