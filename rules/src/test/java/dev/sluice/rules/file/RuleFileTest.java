package dev.sluice.rules.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleOverride;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.match.Condition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RuleFileTest {
    static List<Sample> good() {
        return Sample.all("good");
    }

    static List<Sample> bad() {
        return Sample.all("bad");
    }

    @ParameterizedTest
    @MethodSource("good")
    void aGoodFileIsRead(Sample sample) {
        assertThat(RuleFile.parse(sample.name(), sample.text())).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("bad")
    void aBadFileIsRefusedWithEverythingThatIsWrong(Sample sample) {
        RuleFileException refusal =
                catchThrowableOfType(RuleFileException.class, () -> RuleFile.parse(sample.name(), sample.text()));
        List<String> told = new ArrayList<>(
                refusal.problems().stream().map(FileProblem::toString).sorted().toList());
        List<String> expected = sample.problems().stream().sorted().toList();
        assertThat(told).as(refusal.getMessage()).hasSameSizeAs(expected);
        for (int i = 0; i < told.size(); i++) {
            assertThat(told.get(i)).startsWith(expected.get(i));
        }
    }

    private static RuleSet good(String name) {
        Sample sample = Sample.all("good").stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return RuleFile.parse(name, sample.text());
    }

    @Test
    void everyWordOfTheDesignMeansSomething() {
        Rule rule = good("design.yaml").rules().get(0);
        assertThat(rule.name()).isEqualTo("login-per-ip");
        assertThat(rule.when()).containsExactly(Condition.is("path", "/login"), Condition.is("method", "POST"));
        assertThat(rule.key()).containsExactly("ip");
        assertThat(rule.limits())
                .containsExactly(
                        Limit.slidingLog(5, Duration.ofMinutes(1)),
                        Limit.fixedWindow(100, Duration.ofDays(1)).aligned(ZoneId.of("Asia/Shanghai")));
        assertThat(rule.onExceed()).isEqualTo(OnExceed.REJECT);
        assertThat(rule.onStoreFailure()).isEqualTo(OnFailure.LOCAL);
        assertThat(rule.priority()).isEqualTo(Map.of("background", 50, "normal", 80));
        assertThat(rule.shedFrom()).hasValue(90);
        assertThat(rule.overrides())
                .containsExactly(new RuleOverride(List.of(Condition.anyOf("ip", "198.51.100.0/24")), List.of()));
    }

    @Test
    void limitsAreWrittenInManyWays() {
        List<Rule> rules = good("limits.yaml").rules();
        Duration second = Duration.ofSeconds(1);
        Duration day = Duration.ofDays(1);
        Duration minute = Duration.ofMinutes(1);
        assertThat(rules.get(0).limits())
                .containsExactly(
                        Limit.slidingWindow(5, minute, 10),
                        Limit.slidingWindow(5, minute, 10),
                        Limit.slidingWindow(1000, Duration.ofMinutes(90), 6),
                        Limit.slidingWindow(10, second, 1).weighted(),
                        Limit.slidingWindow(10, second, 10),
                        Limit.slidingLog(5, Duration.ofMillis(500)),
                        Limit.tokenBucket(10, second).burst(20),
                        Limit.leakyBucket(1, second).capacity(5),
                        Limit.leakyBucket(1, second).capacity(5).queue(),
                        Limit.fixedWindow(100, day),
                        Limit.fixedWindow(100, day).aligned(),
                        Limit.fixedWindow(100, day).aligned(),
                        Limit.fixedWindow(100, day).aligned(ZoneId.of("Europe/Berlin")),
                        Limit.fixedWindow(100, ChronoUnit.MONTHS, ZoneId.of("UTC")),
                        Limit.concurrency(20));
        assertThat(rules.get(1).limits())
                .containsExactly(
                        Limit.slidingWindow(5, minute, 10),
                        Limit.fixedWindow(5, Duration.ofDays(7)).aligned(),
                        Limit.slidingWindow(5, minute, 60).weighted(),
                        Limit.tokenBucket(5, minute).burst(10),
                        Limit.leakyBucket(5, minute).capacity(10).queue(),
                        Limit.concurrency(5));
        assertThat(rules.get(2).limits()).containsExactly(Limit.slidingWindow(7, Duration.ofSeconds(2), 10));
        assertThat(rules.get(3).limits()).isEmpty();
        assertThat(rules.get(4).limits()).isEmpty();
    }

    @Test
    void conditionsAreWrittenInManyWays() {
        RuleSet rules = good("everything.yaml");
        assertThat(rules.store()).isEqualTo("redis-cluster://a:7001,b:7002");
        assertThat(rules.trustedProxies().networks()).hasSize(3);
        Rule rule = rules.rules().get(0);
        assertThat(rule.when())
                .extracting(Condition::toString)
                .containsExactly(
                        "path: [/api/**, *.html, {not: [/api/health, /api/static/**]}]",
                        "header.x-api-key: **",
                        "ip: {not: [10.0.0.0/8, 2001:db8::1]}",
                        "method: [GET, HEAD]",
                        "version: 2",
                        "beta: true");
        assertThat(rule.ipv6Prefix()).isEqualTo(128);
        assertThat(rules.rules().get(1).ipv6Prefix()).isEqualTo(56);
        assertThat(rule.onExceed()).isEqualTo(OnExceed.waitUpTo(Duration.ofSeconds(90)));
        assertThat(rule.missingKey()).isEqualTo(Rule.MissingKey.APPLY);
        assertThat(rules.rules())
                .extracting(Rule::onStoreFailure)
                .containsExactly(OnFailure.DENY, OnFailure.ALLOW, OnFailure.LOCAL);
        assertThat(rules.rules())
                .extracting(Rule::batch)
                .containsExactly(Rule.Batch.AUTO, Rule.Batch.OFF, Rule.Batch.OFF);
    }

    @Test
    void leases() {
        assertThat(good("leases.yaml").rules())
                .extracting(Rule::lease)
                .containsExactly(Duration.ofSeconds(90), Duration.ofDays(1), null);
    }

    @Test
    void wordsOfALimitMayStandApartByAnySpace() {
        assertThat(RuleFile.parse("x", "rules: [{ name: a, limits: ['5\u3000per\u30001m\u2003sliding-log'] }]")
                        .rules()
                        .get(0)
                        .limits())
                .containsExactly(Limit.slidingLog(5, Duration.ofMinutes(1)));
    }

    @Test
    void offsetsAreZones() {
        RuleSet rules = RuleFile.parse("x", "rules: [{name: a, limits: [5 per day fixed-window aligned=+02:00]}]");
        assertThat(rules.rules().get(0).limits())
                .containsExactly(Limit.fixedWindow(5, ChronoUnit.DAYS, ZoneOffset.ofHours(2)));
    }

    @Test
    void aFileIsReadFromDisk(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("rules.yaml");
        Files.writeString(file, "\uFEFFrules: [{name: a, limits: [5 per 1m]}]");
        assertThat(RuleFile.read(file).rules()).hasSize(1);
        Files.write(file, "rules: []\n# \u00e4".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> RuleFile.read(file)).hasMessage(file + ":2:3: not UTF-8");
        assertThatThrownBy(() -> RuleFile.read(folder.resolve("none.yaml")))
                .isInstanceOf(RuleFileException.class)
                .hasMessageEndingWith("none.yaml: there is no such file");
        assertThatThrownBy(() -> RuleFile.read(folder))
                .isInstanceOf(RuleFileException.class)
                .hasMessage(folder + ": cannot be read: not a regular file, but a folder");
        Files.write(file, new byte[(4 << 20) + 1]);
        assertThatThrownBy(() -> RuleFile.read(file))
                .hasMessage(file + ": cannot be read: too large: 4194305 bytes, at most 4194304");
    }

    @Test
    void aNameThatIsTakenAndAnOverrideWithoutLimits() {
        RuleFileException refusal = catchThrowableOfType(RuleFileException.class, () -> RuleFile.parse("x.yaml", """
                rules:
                  - { name: a, limits: [5 per 1m] }
                  - { name: b, limits: [5 per 1m], overrides: [{ user: ann, limit: 6 per 1m }] }
                  - { name: a, limits: [7 per 1m] }
                """));
        assertThat(refusal.problems())
                .extracting(FileProblem::toString)
                .containsExactly(
                        "x.yaml:3:48: rules[1].overrides[0]: 'limits' is missing; expected the limits, or unlimited; there"
                                + " is 'limit'",
                        "x.yaml:4:5: rules[2]: rules[0] has the name 'a' already");
    }

    @Test
    void aHeaderWithoutItsPrefixIsWarnedOf() {
        assertThat(AttributeNames.unknown("x-api-key", List.of("ip", "user")))
                .isEqualTo("nothing sets the attribute 'x-api-key'; did you mean 'header.x-api-key'?");
        assertThat(AttributeNames.unknown("usr", List.of("ip", "user")))
                .isEqualTo("nothing sets the attribute 'usr'; did you mean 'user'?");
        assertThat(AttributeNames.unknown("tenant", List.of("ip", "user")))
                .isEqualTo("nothing sets the attribute 'tenant'");
    }

    @Test
    void whatNothingSetsIsWarnedOf() {
        CheckedRules checked = RuleFile.check("x.yaml", """
                rules:
                  - name: a
                    when: { pth: /x, tenant: t, header.x-y: z, headr.x-key: z }
                    key: [uzer, ip]
                    limits: [5 per 1m]
                    overrides: [{ pathh: /y, limits: [6 per 1m] }]
                  - { name: b, when: { status: 401 }, limits: [5 per 1m] }
                """);
        assertThat(checked.rules().rules()).hasSize(2);
        assertThat(checked.warnings())
                .extracting(FileProblem::toString)
                .containsExactly(
                        "x.yaml:3:13: rules[0].when.pth: warning: nothing sets the attribute 'pth' unless a caller sends"
                                + " it; did you mean 'path'?",
                        "x.yaml:3:48: rules[0].when.headr.x-key: warning: nothing sets the attribute 'headr.x-key' unless"
                                + " a caller sends it; did you mean 'header.'?",
                        "x.yaml:4:11: rules[0].key[0]: warning: nothing sets the attribute 'uzer' unless a caller sends it;"
                                + " did you mean 'user'?",
                        "x.yaml:6:19: rules[0].overrides[0].pathh: warning: nothing sets the attribute 'pathh' unless a"
                                + " caller sends it; did you mean 'path'?",
                        "x.yaml:7:24: rules[1].when.status: warning: only the filters of Spring know the attribute"
                                + " 'status'; in the server the rule never applies");
        assertThat(RuleFile.check("example", RuleFile.exampleText()).warnings()).isEmpty();
    }

    @Test
    void aHugeFileIsRefusedAndAManyFaultedOneCut() {
        assertThatThrownBy(() -> RuleFile.parse("big.yaml", "#".repeat((4 << 20) + 1)))
                .hasMessage("big.yaml: too large: 4194305 characters, at most 4194304");
        String many = "rules:\n" + "  - { nam: x }\n".repeat(1000);
        RuleFileException refusal =
                catchThrowableOfType(RuleFileException.class, () -> RuleFile.parse("many.yaml", many));
        assertThat(refusal.problems()).hasSize(101);
        assertThat(refusal.problems().get(100)).hasToString("many.yaml: and 2900 more problems");
    }

    @Test
    void aCharacterThatMayNotStandThereIsNamedWithItsPlace() {
        assertThatThrownBy(() -> RuleFile.parse("x.yaml", "rules:\n  - name: \u0001"))
                .hasMessage("x.yaml:2:11: not readable as YAML: a character that is not allowed, U+0001");
    }

    @Test
    void tenThousandRulesAreRead() {
        StringBuilder text = new StringBuilder("rules:\n");
        for (int i = 0; i < 10_000; i++) {
            text.append("  - name: rule-")
                    .append(i)
                    .append("\n    when: { path: /p")
                    .append(i);
            text.append("/**, method: [GET, POST] }\n    key: [ip]\n    limits: [5 per 1m, 100 per 1d]\n");
        }
        assertThat(RuleFile.parse("many.yaml", text.toString()).rules()).hasSize(10_000);
    }

    /** The reader takes a file in pieces; no piece may end within a character, or be counted twice. */
    @Test
    void aLongFileIsReadAsAShortOneIs() {
        String clef = "\uD834\uDD1E";
        for (int length : new int[] {1_023, 1_024, 65_535, 65_536, 131_072}) {
            for (int before = -40; before <= 2; before++) {
                String padding = "# " + "x".repeat(length + before - 3) + "\n";
                String rule =
                        "rules:\n  - { name: a, when: { user: \"" + clef.repeat(3) + "é\" }, limits: [7 per 1m] }\n";
                Condition user = RuleFile.parse("x.yaml", padding + rule)
                        .rules()
                        .get(0)
                        .when()
                        .get(0);
                assertThat(user.matches(clef.repeat(3) + "é")).isTrue();
                String bad =
                        "rules: # " + clef.repeat((length + before) / 2) + "\n  - { name: a, limits: [7 pr 1m] }\n";
                assertThatThrownBy(() -> RuleFile.parse("x.yaml", bad)).hasMessageStartingWith("x.yaml:2:27: ");
                String odd = " rules: # é" + bad.substring("rules: # ".length());
                assertThatThrownBy(() -> RuleFile.parse("x.yaml", odd)).hasMessageStartingWith("x.yaml:2:27: ");
            }
        }
        for (int shift = 0; shift < 3; shift++) {
            String value = "x".repeat(shift) + clef.repeat(100_000);
            YamlValue read = YamlDocument.read("\"" + value + "\"", "a text", 8, new FileProblems("x.yaml"));
            assertThat(Objects.requireNonNull(read).text("a text")).isEqualTo(value);
        }
    }
}
