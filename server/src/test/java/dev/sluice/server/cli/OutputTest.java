package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the commands on logs write: where it cannot be written they say so, and they never write over what they read. */
class OutputTest {
    private static final String LINE = "203.0.113.9 - - [16/Nov/2026:09:13:25 +0000] \"GET /a HTTP/1.1\" 200 1\n";
    private static final String FULL = "/dev/full";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder = Path.of("");

    private String log = "";
    private String rules = "";

    private int run(String... args) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Map.of(), args);
    }

    @BeforeEach
    void writeFiles() throws IOException {
        log = Files.writeString(folder.resolve("a.log"), LINE.repeat(5)).toString();
        rules = Files.writeString(folder.resolve("rules.yaml"), "rules: [{name: a, key: [ip], limits: [2 per 1m]}]\n")
                .toString();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskIsAnErrorWithItsReason() {
        assertThat(run("replay", log, "--rules", rules, "--report", FULL)).isEqualTo(1);
        assertThat(run("suggest", log, "--out", FULL)).isEqualTo(1);
        assertThat(run("generate", "--lines", "2000", "--out", FULL)).isEqualTo(1);
        assertThat(run("generate", "--lines", "100", "--out", folder + "/g.log", "--truth", FULL))
                .isEqualTo(1);
        assertThat(err.toString().lines().toList())
                .containsExactly(
                        "sluice replay: cannot write the report to '/dev/full': No space left on device",
                        "sluice suggest: cannot write the rules to '/dev/full': No space left on device",
                        "sluice generate: cannot write the log to '/dev/full': No space left on device",
                        "sluice generate: cannot write the table to '/dev/full': No space left on device");
    }

    @Test
    void anImpossibleFileIsRefusedBeforeTheLogIsRead() {
        String none = folder.resolve("none.log").toString();
        assertThat(run("replay", none, "--rules", rules, "--report", folder + "/no/r.html"))
                .isEqualTo(1);
        assertThat(run("suggest", none, "--out", folder.toString())).isEqualTo(1);
        assertThat(run("generate", "--lines", "100", "--out", folder + "/g.log", "--truth", folder + "/no/t.csv"))
                .isEqualTo(1);
        assertThat(err.toString().lines().toList())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("sluice replay: cannot write the report to")
                                .endsWith(": there is no folder " + folder.resolve("no")),
                        line -> assertThat(line)
                                .startsWith("sluice suggest: cannot write the rules to")
                                .endsWith(": it is a folder"),
                        line -> assertThat(line)
                                .startsWith("sluice generate: cannot write the table to")
                                .endsWith(": there is no folder " + folder.resolve("no")));
        assertThat(folder.resolve("g.log")).doesNotExist();
    }

    @Test
    void nothingThatIsReadIsOverwritten() throws IOException {
        String before = Files.readString(Path.of(log));
        Path link = Files.createSymbolicLink(folder.resolve("link.log"), Path.of(log));
        String both = folder.resolve("both").toString();
        assertThat(run("replay", log, "--rules", rules, "--report", link.toString()))
                .isEqualTo(2);
        assertThat(run("replay", log, "--rules", rules, "--report", rules)).isEqualTo(2);
        assertThat(run("suggest", log, "--out", log)).isEqualTo(2);
        assertThat(run("generate", "--lines", "100", "--out", both, "--truth", both))
                .isEqualTo(2);
        assertThat(err.toString().lines())
                .hasSize(4)
                .allSatisfy(line -> assertThat(line).contains("as another argument does"));
        assertThat(Path.of(log)).hasContent(before);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void whatStandardOutputDoesNotTakeIsAnError() throws IOException {
        try (FileOutputStream full = new FileOutputStream(FULL)) {
            assertThat(printedTo(full)).isEqualTo(1);
        }
        assertThat(err).hasToString("sluice: cannot write to standard output: No space left on device\n");
    }

    @Test
    void aReaderThatHasEnoughIsNoError() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int letter) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        assertThat(printedTo(closed)).isEqualTo(1);
        assertThat(err.toString()).isEmpty();
        assertThat(printedTo(OutputStream.nullOutputStream())).isZero();
    }

    /** The exit code of a command that prints to a stream. */
    private int printedTo(OutputStream stream) {
        StandardOutput output = new StandardOutput(stream);
        PrintWriter printer = new PrintWriter(output, true, StandardCharsets.UTF_8);
        PrintWriter errors = new PrintWriter(err, true);
        int code = Main.run(printer, errors, Map.of(), "generate", "--lines", "500", "--out", "-");
        printer.flush();
        return output.exitCode(code, errors);
    }
}
