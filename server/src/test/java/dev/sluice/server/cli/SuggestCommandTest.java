package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.file.RuleFile;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestCommandTest {
    private static final String LINE = "203.0.113.9 - - [16/Nov/2026:09:13:25 +0000] \"GET /a HTTP/1.1\" 200 1\n";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder = Path.of("");

    private int run(String... args) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Map.of(), args);
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void itPrintsLimitsAndWritesRules() throws IOException {
        String rules = folder.resolve("rules.yaml").toString();
        int code = run("suggest", file("a.log", LINE.repeat(5)), "--out", rules);
        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        assertThat(out.toString())
                .contains("5 requests of 1 clients", "1s              5", "- name: requests-per-ip", "rules: " + rules);
        assertThat(RuleFile.read(Path.of(rules)).rules()).hasSize(1);
    }

    @Test
    void jsonIsJsonAndNothingElse() throws IOException {
        String log = folder.resolve("g.log").toString();
        assertThat(run("generate", "--lines", "5000", "--out", log)).isZero();
        out.getBuffer().setLength(0);
        assertThat(run("suggest", log, "--json", "--keep", "99%", "--of", "requests"))
                .isZero();
        assertThat(err.toString()).isEmpty();
        JsonObject json = new JsonObject(out.toString());
        assertThat(json.getDouble("keep")).isEqualTo(0.99);
        assertThat(json.getString("of")).isEqualTo("requests");
        assertThat(json.getJsonArray("windows")).hasSize(6);
        assertThat(json.getJsonArray("leftOut").getJsonObject(0).getString("reason"))
                .isNotBlank();
        assertThat(RuleFile.parse("rules.yaml", json.getString("ruleFile")).rules())
                .hasSameSizeAs(json.getJsonArray("rules"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--keep most     | sluice suggest: --keep must be a share such as 99.9%",
                "--keep 20%      | sluice suggest: --keep must be from 50% to 100%, was '20%'",
                "--of people     | sluice suggest: --of must be clients or requests, was 'people'",
                "--zone Mars     | sluice suggest: --zone must be a zone such as UTC",
                "--colour red    | sluice suggest: Unknown option: '--colour'",
            })
    void aWrongCallIsOneLineAndTwo(String args, String message) throws IOException {
        String[] words = ("suggest " + file("a.log", LINE) + " " + args).split(" ", -1);
        assertThat(run(words)).isEqualTo(2);
        assertThat(err.toString()).startsWith(message).hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aLogThatCannotBeReadIsOneLineAndOne() throws IOException {
        assertThat(run("suggest", folder.resolve("none.log").toString())).isEqualTo(1);
        assertThat(run("suggest", file("empty.log", ""))).isEqualTo(1);
        assertThat(run("suggest", file("binary.log", "\u0000\u0001\u0002\n".repeat(20))))
                .isEqualTo(1);
        assertThat(run("suggest", file("a.log", LINE), "--key", "header.x-api-key"))
                .isEqualTo(1);
        assertThat(run("suggest", file("a.log", LINE), "--format", "$remote_adr $time_local"))
                .isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(5).allMatch(line -> line.startsWith("sluice suggest: "));
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void theJudgeSaysWhatItFound() {
        assertThat(run("judge", "--seeds", "1", "--lines", "20000")).isZero();
        assertThat(out.toString()).contains("Both targets are met by 1 of 1 seeds");
        assertThat(run("judge", "--plant", "roses")).isEqualTo(2);
    }
}
