package dev.sluice.server.envoy.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.server.envoy.Trace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is read, what is refused, and where the refusal points. */
final class EnvoyConfigTest {
    static Stream<Arguments> refused() {
        return Stream.of(
                bad("", "x.yaml:1:1: the file is empty; expected a mapping with a domain and descriptors"),
                bad("descriptors: []", "x.yaml:1:1: 'domain' is missing: the name in requests"),
                bad("domain: ''", "x.yaml:1:9: domain: must not be empty"),
                bad("- domain: a", "x.yaml:1:1: expected a mapping with the fields domain, descriptors, was a list"),
                bad("domain: a\ndescriptors: 5", "x.yaml:2:14: descriptors: expected a list, was '5'"),
                bad(
                        "domain: a\ndescriptors: [b]",
                        "x.yaml:2:15: descriptors[0]: expected a mapping with the fields key, value, rate_limit, descriptors,"
                                + " shadow_mode, quota_mode, detailed_metric, value_to_metric, share_threshold, metadata,"
                                + " was 'b'",
                        "x.yaml:2:15: descriptors[0]: 'key' is missing"),
                bad(
                        "domain: a\ndescriptor: []",
                        "x.yaml:2:1: descriptor: unknown field in the file; did you mean 'descriptors'? Known here: domain,"
                                + " descriptors"),
                bad("domain: a\nfoo: 1", "x.yaml:2:1: foo: unknown field in the file. Known here: domain, descriptors"),
                bad("domain: a\n? [b]\n: c", "x.yaml:2:3: expected a name, was a list"),
                bad("domain: a\ndomain: b", "x.yaml:2:1: 'domain' is there twice, first in line 1"),
                bad("domain: a\ndescriptors:\n- value: b", "x.yaml:3:3: descriptors[0]: 'key' is missing"),
                bad(
                        "domain: a\ndescriptors:\n- key: ''",
                        "x.yaml:3:8: descriptors[0].key: must be text that is not empty"),
                bad(
                        "domain: a\ndescriptors:\n- key: b*",
                        "x.yaml:3:8: descriptors[0].key: must be exact, was 'b*'; a '*' can be in 'value'"),
                bad(
                        "domain: a\ndescriptors:\n- {key: [b]}",
                        "x.yaml:3:9: descriptors[0].key: expected text, was a list",
                        "x.yaml:3:9: descriptors[0].key: must be text that is not empty"),
                bad(
                        "domain: a\ndescriptors:\n- key: b\n  value: c\n- {key: b, value: c}",
                        "x.yaml:5:3: descriptors[1]: the descriptor a.b_c is there twice, first at x.yaml:3:3"),
                bad(
                        "domain: a\ndescriptors:\n- {key: b, shadow_mode: maybe}",
                        "x.yaml:3:25: descriptors[0].shadow_mode: expected true or false, was 'maybe'"),
                bad(
                        "domain: a\ndescriptors:\n- {key: b, value: c, share_threshold: true}",
                        "x.yaml:3:39: descriptors[0].share_threshold: is for a 'value' with a '*', was 'c'"),
                bad(
                        "domain: a\ndescriptors:\n- {key: b, shadow_mode: true, quota_mode: true}",
                        "x.yaml:3:43: descriptors[0].quota_mode: excludes 'shadow_mode': one denies together with others, the"
                                + " other never"),
                bad(
                        "domain: a\ndescriptors:\n- {key: b, metadata: c}",
                        "x.yaml:3:22: descriptors[0].metadata: expected a mapping, was 'c'"),
                bad(
                        "domain: a\ndescriptors:\n- {key: b, unit: day}",
                        "x.yaml:3:12: descriptors[0].unit: has no effect in a descriptor; it belongs in rate_limit"),
                bad(
                        limit("{unit: day, requests_per_unit: 1, shadow_mode: true}"),
                        "x.yaml:3:58: descriptors[0].rate_limit.shadow_mode: has no effect in rate_limit; it belongs in a"
                                + " descriptor"),
                bad(
                        limit("{unit: day, requests_per_unit: 1, burst: 3}"),
                        "x.yaml:3:58: descriptors[0].rate_limit.burst: unknown field in rate_limit. Known here: unit,"
                                + " requests_per_unit, unlimited, name, replaces"),
                bad(
                        limit("{unit: fortnight, requests_per_unit: 1}"),
                        "x.yaml:3:31: descriptors[0].rate_limit.unit: expected one of second, minute, hour, day, week, month,"
                                + " year, was 'fortnight'"),
                bad(
                        limit("{requests_per_unit: 1}"),
                        "x.yaml:3:24: descriptors[0].rate_limit: 'unit' is missing; expected one of second, minute, hour,"
                                + " day, week, month, year"),
                bad(limit("{unit: day}"), "x.yaml:3:24: descriptors[0].rate_limit: 'requests_per_unit' is missing"),
                bad(
                        limit("{unit: day, unlimited: true}"),
                        "x.yaml:3:31: descriptors[0].rate_limit.unit: an unlimited rate_limit has none, was 'day'"),
                bad(
                        limit("{unit: day, requests_per_unit: -1}"),
                        "x.yaml:3:55: descriptors[0].rate_limit.requests_per_unit: expected a whole number from 0 to"
                                + " 4294967295, was '-1'"),
                bad(
                        limit("{unit: day, requests_per_unit: 4294967296}"),
                        "x.yaml:3:55: descriptors[0].rate_limit.requests_per_unit: expected a whole number from 0 to"
                                + " 4294967295, was '4294967296'"),
                bad(
                        limit("{unit: day, requests_per_unit: 010}"),
                        "x.yaml:3:55: descriptors[0].rate_limit.requests_per_unit: expected a whole number from 0 to"
                                + " 4294967295, was '010'"),
                bad(
                        limit("{unit: day, requests_per_unit: 1, name: n, replaces: [{name: n}]}"),
                        "x.yaml:3:78: descriptors[0].rate_limit.replaces[0]: a rate_limit cannot replace itself, and this one is named 'n' too"),
                bad(
                        limit("{unit: day, requests_per_unit: 1, replaces: [{name: ''}]}"),
                        "x.yaml:3:69: descriptors[0].rate_limit.replaces[0]: 'name' is missing: that of another rate_limit"),
                bad(
                        "domain: a\n\tb: c",
                        "x.yaml:2:1: not readable as YAML: while scanning for the next token, found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation)"),
                bad("domain: a\n---\ndomain: b", "x.yaml:2:1: a second document; expected one"),
                bad("domain: *nobody", "x.yaml:1:9: not readable as YAML: found undefined alias nobody"));
    }

    @ParameterizedTest
    @MethodSource
    void refused(String text, List<String> problems) {
        EnvoyConfigException refusal =
                catchThrowableOfType(EnvoyConfigException.class, () -> EnvoyConfig.parse(Map.of("x.yaml", text)));
        assertThat(Objects.requireNonNull(refusal).problems()).isEqualTo(problems);
    }

    @Test
    void aDomainIsThatOfOneFile() {
        assertThatThrownBy(() -> EnvoyConfig.parse(Map.of("a.yaml", "domain: d", "b.yaml", "domain: d")))
                .isInstanceOf(EnvoyConfigException.class)
                .hasMessageMatching("[ab].yaml:1:9: domain: the domain 'd' is already that of [ab].yaml:1:9");
    }

    @Test
    void aliasesAndMergesAreRead() throws Exception {
        EnvoyConfig config = EnvoyConfig.parse(Map.of("x.yaml", """
                domain: d
                descriptors:
                  - &one
                    key: a
                    rate_limit: &day { unit: day, requests_per_unit: 5 }
                  - <<: *one
                    value: special
                  - key: b
                    rate_limit: *day
                """));
        assertThat(limit(config, "a=1")).isEqualTo("5 DAY");
        assertThat(limit(config, "a=special")).isEqualTo("5 DAY");
        assertThat(limit(config, "b=1")).isEqualTo("5 DAY");
    }

    @Test
    void anAliasThatNamesItselfIsRefused() {
        assertThatThrownBy(() -> EnvoyConfig.parse(
                        Map.of("x.yaml", "domain: d\ndescriptors: &all\n- key: a\n  descriptors: *all")))
                .hasMessage("x.yaml:4:16: alias *all stands within its own anchor");
    }

    @Test
    void aliasesNestNoDeeperThanTextMay() {
        StringBuilder text = new StringBuilder("domain: d\ndescriptors:\n- &a0 {key: a}\n");
        for (int i = 1; i < 100; i++) {
            text.append("- &a%d {key: a%d, descriptors: [*a%d]}\n".formatted(i, i, i - 1));
        }
        assertThatThrownBy(() -> EnvoyConfig.parse(Map.of("x.yaml", text.toString())))
                .hasMessageContaining("nested more than 100 deep");
    }

    @Test
    void aBillionLaughsAreRefused() {
        StringBuilder text = new StringBuilder("domain: d\ndescriptors:\n- &a0 {key: a}\n");
        for (int i = 1; i < 12; i++) {
            text.append("- &a").append(i).append(" {key: a").append(i).append(", descriptors: [");
            for (int j = 0; j < 10; j++) {
                text.append("{<<: *a")
                        .append(i - 1)
                        .append(", value: v")
                        .append(j)
                        .append("}, ");
            }
            text.append("]}\n");
        }
        assertThatThrownBy(() -> EnvoyConfig.parse(Map.of("x.yaml", text.toString())))
                .hasMessageContaining("too large: with every alias written out there are more than 4000000 values");
    }

    @Test
    void scalarsAreTextAndUnitsAreOfAnyCase() throws Exception {
        EnvoyConfig config = EnvoyConfig.parse(Map.of("x.yaml", """
                domain: 7
                descriptors:
                  - { key: code, value: 404, rate_limit: { unit: Week, requests_per_unit: 1_000 } }
                  - { key: code, value: , rate_limit: { unit: MONTH, requests_per_unit: 2 } }
                  - { key: code, value: true, rate_limit: { unit: year, requests_per_unit: 3 } }
                """));
        assertThat(config.domains()).containsExactly("7");
        assertThat(Objects.requireNonNull(config.find("7", Trace.descriptor("code=404")))
                        .limit()
                        .message())
                .hasToString("requests_per_unit: 1000\nunit: WEEK\n");
        assertThat(Objects.requireNonNull(config.find("7", Trace.descriptor("code=500")))
                        .limit()
                        .message())
                .hasToString("requests_per_unit: 2\nunit: MONTH\n");
        assertThat(Objects.requireNonNull(config.find("7", Trace.descriptor("code=true")))
                        .limit()
                        .message())
                .hasToString("requests_per_unit: 3\nunit: YEAR\n");
    }

    /** ("a", "b_c") and ("a_b", "c") are not the same, nor are values with the signs that join them. */
    @Test
    void countersAreNeverShared() throws Exception {
        EnvoyConfig config = EnvoyConfig.parse(Map.of("x.yaml", """
                domain: d
                descriptors:
                  - { key: a, value: b_c, rate_limit: { unit: day, requests_per_unit: 1 } }
                  - { key: a_b, value: c, rate_limit: { unit: day, requests_per_unit: 2 } }
                  - key: x
                    descriptors:
                      - { key: y, rate_limit: { unit: day, requests_per_unit: 3 } }
                """));
        assertThat(limit(config, "a=b_c")).isEqualTo("1 DAY");
        assertThat(limit(config, "a_b=c")).isEqualTo("2 DAY");
        MatchedLimit one = Objects.requireNonNull(config.find("d", Trace.descriptor("x=1|2,y=3")));
        MatchedLimit other = Objects.requireNonNull(config.find("d", Trace.descriptor("x=1,y=2|3")));
        assertThat(one.key()).isNotEqualTo(other.key());
        assertThat(one.limit().identity()).isEqualTo(other.limit().identity());
    }

    @Test
    void theFilesOfADirectory(@TempDir Path directory) throws Exception {
        assertThatThrownBy(() -> EnvoyConfig.read(directory)).hasMessage(directory + ": has no *.yaml file");
        Files.writeString(directory.resolve("a.yaml"), "domain: a");
        Files.writeString(directory.resolve("b.yaml"), "domain: b");
        Files.writeString(directory.resolve("notes.txt"), "nothing");
        assertThat(EnvoyConfig.read(directory).domains()).containsExactlyInAnyOrder("a", "b");
        Files.writeString(directory.resolve("c.yml"), "domain: c");
        assertThatThrownBy(() -> EnvoyConfig.read(directory))
                .hasMessage(
                        directory.resolve("c.yml") + ": only files named *.yaml are read; rename it, or move it away");
        Files.delete(directory.resolve("c.yml"));
        Files.write(directory.resolve("b.yaml"), new byte[] {'a', (byte) 0xC3, '('});
        assertThatThrownBy(() -> EnvoyConfig.read(directory))
                .hasMessage(directory.resolve("b.yaml") + ": not UTF-8 text");
        assertThatThrownBy(() -> EnvoyConfig.read(directory.resolve("none")))
                .hasMessageContaining("cannot be read as a directory of *.yaml files");
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aFileThatDoesNotEndIsRefused(@TempDir Path directory) throws Exception {
        Path pipe = directory.resolve("pipe.yaml");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Files.createSymbolicLink(directory.resolve("zero.yaml"), Path.of("/dev/zero"));
        assertThatThrownBy(() -> EnvoyConfig.read(directory))
                .hasMessageContaining(pipe + ": cannot be read: not a regular file")
                .hasMessageContaining("zero.yaml: cannot be read: not a regular file");
    }

    private static String limit(EnvoyConfig config, String descriptor) {
        DescriptorLimit limit = Objects.requireNonNull(config.find("d", Trace.descriptor(descriptor)))
                .limit();
        return limit.requestsPerUnit() + " " + limit.unit();
    }

    private static String limit(String rateLimit) {
        return "domain: a\ndescriptors:\n- {key: b, rate_limit: " + rateLimit + "}";
    }

    private static Arguments bad(String text, String... problems) {
        return Arguments.of(text, List.of(problems));
    }
}
