package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The story of docs/choosing-limits.md: its rule files are written, its commands run in order, and print what the page says.
 * With {@code -Dsluice.docs=write} the page is written anew.
 */
@Tag("slow")
class ChoosingLimitsDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "choosing-limits.md");
    private static final Pattern BLOCK =
            Pattern.compile("^```(?:yaml (\\S+)|console)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CALL = Pattern.compile("\\$ \\./sluice (.+)\\n(?:.*\\n)*");
    private static final Pattern FILE = Pattern.compile(".+\\.(?:log|csv|yaml|html)");

    @TempDir
    Path folder = Path.of("");

    @Test
    void everyCommandPrintsWhatThePageSays() throws IOException {
        String page = Files.readString(PAGE);
        StringBuilder real = new StringBuilder();
        Matcher blocks = BLOCK.matcher(page);
        int calls = 0;
        while (blocks.find()) {
            String body = blocks.group(2);
            if (blocks.group(1) != null) {
                Files.writeString(folder.resolve(blocks.group(1)), body);
                blocks.appendReplacement(real, Matcher.quoteReplacement(blocks.group()));
            } else {
                calls++;
                blocks.appendReplacement(real, Matcher.quoteReplacement("```console\n" + run(body) + "```"));
            }
        }
        blocks.appendTail(real);
        if (System.getProperty("sluice.docs", "").equals("write")) {
            Files.writeString(PAGE, real);
            return;
        }
        assertThat(real).hasToString(page);
        assertThat(calls).isGreaterThanOrEqualTo(3);
    }

    private String run(String block) {
        Matcher call = CALL.matcher(block);
        assertThat(call.matches()).as(block).isTrue();
        MatchResult found = call.toMatchResult();
        String[] args = Arrays.stream(found.group(1).split(" ", -1))
                .map(arg -> FILE.matcher(arg).matches() ? folder.resolve(arg).toString() : arg)
                .toArray(String[]::new);
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        Main.run(writer, writer, Map.of(), args);
        return "$ ./sluice " + found.group(1) + "\n" + out.toString().replace(folder + "/", "");
    }
}
