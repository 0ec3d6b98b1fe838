package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.cli.Main;
import dev.sluice.server.ruleset.InitialRules;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every call on docs/server.md, one after the other against a real server, prints what the page says, but for numbers and
 * ids that are never the same. {@code -Dsluice.docs=write} writes the page anew.
 */
@Tag("slow")
class ServerDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "server.md");
    private static final Pattern CALL =
            Pattern.compile("^```console\\n\\$ (.+?(?:,\\n {5}.+?)*)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    @TempDir
    Path folder = Path.of("");

    @Test
    void everyCallPrintsWhatThePageSays() throws Exception {
        String page = Files.readString(PAGE);
        StringBuilder real = new StringBuilder();
        Files.writeString(folder.resolve("rules.yaml"), RuleFile.exampleText());
        try (Service service = new Service(ServerSettings.of(InitialRules.example()))) {
            Matcher calls = CALL.matcher(page);
            while (calls.find()) {
                String said = run(calls.group(1), service);
                calls.appendReplacement(
                        real, Matcher.quoteReplacement("```console\n$ " + calls.group(1) + "\n" + said + "```"));
            }
            calls.appendTail(real);
        }
        if (System.getProperty("sluice.docs", "").equals("write")) {
            Files.writeString(PAGE, real);
        } else {
            assertThat(masked(real.toString())).isEqualTo(masked(page));
        }
        assertThat(CALL.matcher(page).results().map(MatchResult::group)).hasSizeGreaterThan(15);
    }

    private String run(String call, Service service) throws IOException, InterruptedException {
        if (call.startsWith("./sluice ")) {
            StringWriter said = new StringWriter();
            String args = call.substring("./sluice ".length()).replace("rules.yaml", folder + "/rules.yaml");
            Main.run(new PrintWriter(said, true), new PrintWriter(said, true), args.split(" ", -1));
            return said.toString().replace(folder + "/", "");
        }
        String command = call.replace("localhost:8080", "127.0.0.1:" + service.port())
                .replace("localhost:8081", "127.0.0.1:" + service.server().adminPort());
        Path output = folder.resolve("output");
        Process shell = new ProcessBuilder("sh", "-c", command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(shell.waitFor(20, TimeUnit.SECONDS)).as(call).isTrue();
        String said = Files.readString(output, UTF_8)
                .replace("\r", "")
                .replaceAll(" +\n", "\n")
                .stripTrailing();
        return said.isEmpty() ? "" : said + "\n";
    }

    /** Without what time and chance decide. */
    private static String masked(String text) {
        return text.replaceAll("(\"(?:retryAfterMs|resetAfterMs)\":)\\d+", "$1N")
                .replaceAll("\"hold\":\"[\\w-]+\"", "\"hold\":\"ID\"")
                .replaceAll("(?i)(retry-after|content-length): \\d+", "$1: N")
                .replaceAll(";t=\\d+", ";t=N")
                .replaceAll("try again in \\d+ s", "try again in N s");
    }
}
