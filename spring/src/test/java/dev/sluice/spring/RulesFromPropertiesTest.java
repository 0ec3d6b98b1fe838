package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.rules.OnExceed;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.FileSystemResource;

class RulesFromPropertiesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static final String RULES = """
            trusted-proxies: [127.0.0.1, 10.0.0.0/8]
            ipv6-prefix: 56
            rules:
              - name: login-per-ip
                when: { path: /login, method: [POST, PUT] }
                key: [ip]
                limits:
                  - 5 per 1m sliding-log
                  - { permits: 100, per: 1d, algorithm: fixed-window, aligned: Asia/Shanghai }
                on-exceed: wait up to 2s
                on-store-failure: deny
                priority: { background: 50%, normal: 80% }
                shed-from: 90%
                overrides:
                  - { ip: 198.51.100.0/24, limits: [unlimited] }
              - name: tenants
                when: { header.x-tenant: { not: [internal, test] }, path: [ "/api/**", { not: /api/health } ] }
                key: [header.x-tenant]
                limits: [10 per 1s]
                on-exceed: shadow
              - name: all
                key: []
                limits: 7 per 1s
            """;

    private RuleSetLoader source(String yaml) {
        return source(yaml, Map.of());
    }

    private RuleSetLoader source(String yaml, Map<String, Object> more) {
        StandardEnvironment environment = new StandardEnvironment();
        try {
            Path file = Files.writeString(folder.resolve("application.yml"), yaml, StandardCharsets.UTF_8);
            for (PropertySource<?> each :
                    new YamlPropertySourceLoader().load("application.yml", new FileSystemResource(file))) {
                environment.getPropertySources().addLast(each);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        environment.getPropertySources().addLast(new MapPropertySource("more", more));
        org.springframework.boot.context.properties.source.ConfigurationPropertySources.attach(environment);
        return new RuleSetLoader(environment, new DefaultResourceLoader());
    }

    private static String under(String yaml) {
        return "sluice:\n" + yaml.indent(2);
    }

    @Test
    void rulesInYamlAreTheSameAsInAFile() throws IOException {
        RuleSet written = source(under(RULES)).load();
        RuleSet read = RuleFile.parse("rules.yaml", RULES);
        assertThat(written.rules()).isEqualTo(read.rules());
        assertThat(written.trustedProxies()).isEqualTo(read.trustedProxies());

        Path file = Files.writeString(folder.resolve("rules.yaml"), RULES);
        for (String location : List.of(file.toString(), "file:" + file)) {
            assertThat(source("sluice:\n  rules: " + location).load().rules()).isEqualTo(read.rules());
        }
        assertThat(source("sluice.rules: classpath:web-rules.yaml").load().rules())
                .hasSize(12);
        assertThat(source("other: 1").load().rules()).isEmpty();
    }

    /** As with any list in Spring Boot: a profile that has one rule replaces all of them, and does not mix with them. */
    @Test
    void theFirstSourceThatHasRulesReplacesTheOthers() {
        Map<String, Object> others = Map.of(
                "sluice.rules[0].name", "a",
                "sluice.rules[0].limits", "1 per 1s",
                "sluice.rules[0].on-exceed", "shadow",
                "sluice.rules[1].name", "b",
                "sluice.rules[1].limits", "1 per 1s");
        RuleSet rules = source(under("rules: [{ name: mine, limits: 9 per 1s }]\n"), others)
                .load();
        assertThat(rules.rules()).hasSize(1);
        assertThat(rules.rules().get(0).name()).isEqualTo("mine");
        assertThat(rules.rules().get(0).onExceed()).isEqualTo(OnExceed.REJECT);
        assertThat(source("other: 1", others).load().rules()).hasSize(2);
    }

    @Test
    void placeholdersStandForOtherProperties() {
        RuleSet rules = source(under("rules: [{ name: all, limits: '${limit} per 1s' }]\n"), Map.of("limit", "9"))
                .load();
        assertThat(rules.rules().get(0).limits().get(0).capacity()).isEqualTo(9);
    }

    @Test
    void commasDivideAListAsInAnyPropertyOfSpring() {
        Map<String, Object> properties = Map.of(
                "sluice.trusted-proxies", "127.0.0.1, 10.0.0.0/8",
                "sluice.rules[0].name", "a",
                "sluice.rules[0].key", "ip,path",
                "sluice.rules[0].when.key", "a,b",
                "sluice.rules[0].limits", "5 per 1m sliding-log, 100 per 1d",
                "sluice.rules[0].overrides[0].ip", "10.0.0.1",
                "sluice.rules[0].overrides[0].limits", "7 per 1m,8 per 1h");
        RuleSet rules = source("other: 1", properties).load();
        assertThat(rules.rules()).isEqualTo(RuleFile.parse("rules.yaml", """
                        rules:
                          - name: a
                            key: [ip, path]
                            when: { key: "a,b" }
                            limits: [5 per 1m sliding-log, 100 per 1d]
                            overrides: [{ ip: 10.0.0.1, limits: [7 per 1m, 8 per 1h] }]
                        """).rules());
        assertThat(rules.trustedProxies().networks()).hasSize(2);
    }

    @Test
    void whatIsWrongBetweenCommasIsToldByItsPlaceToo() {
        assertThatThrownBy(() -> source("a: 1\n" + under("rules:\n  - name: a\n    limits: 5 per 1m, 6 pre 1h"))
                        .load())
                .hasMessageContaining("sluice.rules[0].limits[1]: expected a limit such as '5 per 1m'")
                .hasMessageContaining("application.yml");
        assertThatThrownBy(() -> source(under("rules:\n  - name: a\n    limits: 5 per 1m,"))
                        .load())
                .hasMessageContaining("sluice.rules[0].limits[1]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    rules: [{ name: a, limits: 5 pre 1m }]             | sluice.rules[0].limits: expected a limit such as '5 per 1m'
                    rules: [{ name: a, limit: 5 per 1m }]              | sluice.rules[0]
                    rules: [{ name: a, limits: [5 per 1m, 1 per 1x] }] | sluice.rules[0].limits[1]
                    rules: [{ limits: 5 per 1m }]                      | name
                    trusted-proxies: [localhost]                       | sluice.trusted-proxies
                    rules: /no/such/file.yaml                          | /no/such/file.yaml: there is no such file
                    rules: classpath:no-such.yaml                      | sluice.rules: there is no classpath:no-such.yaml
                    """)
    void whatIsWrongIsToldByItsPlace(String yaml, String message) {
        assertThatThrownBy(() -> source(under(yaml)).load())
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageContaining(message);
    }

    @Test
    void whereItWasWrittenIsTold() {
        assertThatThrownBy(() -> source("a: 1\n" + under("rules: [{ name: a, limits: 5 pre 1m }]"))
                        .load())
                .hasMessageContaining("application.yml")
                .hasMessageContaining("3:");
    }

    /** What is missing or not known has no place of its own: the rule around it has. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    - { name: a, limit: 5 per 1m }            | 5:13
                    - { limits: 5 per 1m }                    | 5:15
                    - { name: a }                             | 5:13
                    - { name: b, limits: 5 per 1m }           | 5:13
                    - { name: a, limits: 5 per 1m, lmits: 1 } | 5:13
                    """)
    void whereTheRuleWasWrittenIsTold(String rule, String place) {
        String yaml = "a: 1\n"
                + under("rules:\n  - { name: b, limits: 5 per 1m }\n  " + rule).replace("  - {", "- {");
        assertThatThrownBy(() -> source(yaml).load())
                .hasMessageContaining("application.yml")
                .hasMessageContaining("- " + place);
    }

    /** A test or a variable that was meant to change one rule of the file. */
    @Test
    void aListThatBeginsLateIsToldWithItsSource() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addLast(new MapPropertySource("of the test", Map.of("sluice.rules[1].when.path", "/loginx")));
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "file", Map.of("sluice.rules[0].name", "a", "sluice.rules[0].limits", "1 per 1s")));
        org.springframework.boot.context.properties.source.ConfigurationPropertySources.attach(environment);
        RuleSetLoader loader = new RuleSetLoader(environment, new DefaultResourceLoader());
        assertThatThrownBy(loader::load)
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageContainingAll(
                        "sluice.rules[1].when.path: there is no sluice.rules[0] in the same source",
                        "a source that sets one rule replaces the whole list",
                        "of the test");
    }

    /** Nor is it looked for in another source, whose rules are not in force. */
    @Test
    void whatIsMissingIsNotToldOfAnotherSource() {
        assertThatThrownBy(
                        () -> source(under("rules: [{ name: mine }]\n"), Map.of("sluice.rules[0].limits", "1 per 1s"))
                                .load())
                .hasMessageContaining("application.yml")
                .hasMessageNotContaining("more");
    }

    @Test
    void whatBelongsIntoTheFileIsNotSaidBesideIt() {
        assertThatThrownBy(() -> source(under("rules: classpath:web-rules.yaml\ntrusted-proxies: [127.0.0.1]"))
                        .load())
                .hasMessage("sluice.trusted-proxies: sluice.rules names the file classpath:web-rules.yaml, so "
                        + "trusted-proxies belongs there");
    }
}
