package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayCommandTest {
    private static final String LINE = "203.0.113.9 - - [16/Nov/2026:09:13:25 +0000] \"GET /a HTTP/1.1\" 200 1\n";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder = Path.of("");

    private String rules = "";

    private int run(String... args) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Map.of(), args);
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @BeforeEach
    void writeRules() throws IOException {
        rules = file("rules.yaml", "rules: [{name: a, key: [ip], limits: [2 per 1m]}]\n");
    }

    @Test
    void aReplayPrintsWhatTheRulesDid() throws IOException {
        String page = folder.resolve("out.html").toString();
        int code = run("replay", file("a.log", LINE.repeat(5)), "--rules", rules, "--report", page);
        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        assertThat(out.toString())
                .contains("a.log (common): 5 requests", "allowed 2 (40.0 %), denied 3 (60.0 %)", "report: " + page);
        assertThat(Files.readString(Path.of(page)))
                .startsWith("<!doctype html>")
                .contains("203.0.113.9");
    }

    @Test
    void jsonIsJsonAndNothingElse() throws IOException {
        String other = file("other.yaml", "rules: [{name: a, key: [ip], limits: [3 per 1m]}]\n");
        assertThat(run("replay", file("a.log", LINE.repeat(5)), "--rules", rules, "--compare", other, "--json"))
                .isZero();
        long fields = 0;
        try (JsonParser parser = new JsonFactory().createParser(out.toString())) {
            while (parser.nextToken() != null) {
                fields++;
            }
        }
        assertThat(fields).isGreaterThan(100);
        assertThat(out.toString()).contains("\"denied\" : 3", "\"denied\" : 2", "\"allowed\" : 1");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void whatIsWrongIsSaidOnOneLine() throws IOException {
        String log = file("a.log", LINE);
        assertThat(run("replay", folder.resolve("none.log").toString(), "--rules", rules))
                .isEqualTo(1);
        assertThat(run("replay", file("empty.log", ""), "--rules", rules)).isEqualTo(1);
        assertThat(run("replay", log)).isEqualTo(2);
        assertThat(run("replay", "--rules", rules)).isEqualTo(2);
        assertThat(run("replay", log, "--rules", rules, "--map", "ip")).isEqualTo(2);
        assertThat(run("replay", log, "--rules", rules, "--zone", "Mars")).isEqualTo(2);
        assertThat(run("replay", log, "--rules", rules, "--format", "$remote_adr $time_local"))
                .isEqualTo(1);
        assertThat(run("replay", log, "--rules", file("bad.yaml", "rules: [{name: a}]\n")))
                .isEqualTo(2);
        assertThat(err.toString().lines().toList())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("sluice replay: there is no file"),
                        line -> assertThat(line)
                                .startsWith("sluice replay: there is no request to replay:")
                                .endsWith("empty.log is empty"),
                        line -> assertThat(line).contains("Missing required option: '--rules=FILE'"),
                        line -> assertThat(line).contains("name a log, or a server with --from"),
                        line -> assertThat(line).contains("--map must be ATTRIBUTE=FIELD, as in ip=client, was 'ip'"),
                        line -> assertThat(line).contains("--zone must be a zone such as"),
                        line -> assertThat(line)
                                .contains("there is no variable $remote_adr; did you mean 'remote_addr'?"),
                        line -> assertThat(line).contains("bad.yaml:1:9: rules[0]"));
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void helpSaysWhatItDoes() {
        assertThat(run("replay", "--help")).isZero();
        assertThat(out.toString()).contains("--compare", "--report", "--format '$remote_addr - $remote_user");
        assertThat(run("generate", "--help")).isZero();
        assertThat(out.toString()).contains("credential-stuffing", "--truth");
    }

    @Test
    void aGeneratedLogCanBeReplayed() throws IOException {
        String log = folder.resolve("access.log.gz").toString();
        String truth = folder.resolve("truth.csv").toString();
        assertThat(run("generate", "--lines", "5000", "--seed", "4", "--out", log, "--truth", truth))
                .isZero();
        assertThat(out.toString()).startsWith(log + ": ").contains("truth: " + truth);
        assertThat(Files.readString(Path.of(truth))).startsWith("ip,kind,abusive,requests,first,last\n");
        assertThat(run("replay", log, "--rules", rules)).isZero();
        assertThat(out.toString()).contains("(combined)");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aWrongPlanIsRefused() {
        assertThat(run("generate", "--lines", "0", "--out", "-")).isEqualTo(2);
        assertThat(run("generate", "--without", "persn", "--out", "-")).isEqualTo(2);
        assertThat(run("generate", "--format", "xml", "--out", "-")).isEqualTo(2);
        assertThat(run("generate", "--start", "today", "--out", "-")).isEqualTo(2);
        assertThat(run("generate", "--duration", "long", "--out", "-")).isEqualTo(2);
        assertThat(err.toString().lines().toList())
                .satisfiesExactly(
                        line -> assertThat(line).contains("lines must be 1 or more, was 0"),
                        line -> assertThat(line).contains("'persn'; did you mean 'person'?"),
                        line -> assertThat(line)
                                .contains("--format must be one of combined, common, json, csv, was 'xml'"),
                        line -> assertThat(line).contains("--start must be a time such as"),
                        line -> assertThat(line).contains("--duration must be a duration such as"));
    }

    @Test
    void theBarShowsHowFarAndHowFast() {
        assertThat(Progress.line(50_000_000, 200_000_000, 1_000_000_000L))
                .isEqualTo("[#######                       ]  25 % 50 MB, 50 MB/s, 3s left ");
        assertThat(Progress.line(50_000_000, 0, 1_000_000_000L)).isEqualTo("50 MB, 50 MB/s");
    }
}
