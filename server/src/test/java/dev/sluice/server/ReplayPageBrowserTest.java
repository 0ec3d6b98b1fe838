package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The report of a replay, in a real browser: the one of docs/choosing-limits.md. With {@code -Dsluice.pictures=write} its
 * picture is made anew.
 */
@Tag("full")
class ReplayPageBrowserTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern RULES = Pattern.compile("```yaml rules.yaml\n(.*?)```", Pattern.DOTALL);

    /** The texts of charts that are cut off at an edge, or lie over each other. */
    private static final String UNREADABLE = """
            [...document.querySelectorAll('svg')].flatMap(chart => {
              const edge = chart.getBoundingClientRect();
              const boxes = [...chart.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
              return boxes.filter(([said, box], i) =>
                box.left < edge.left - 1 || box.right > edge.right + 1 || box.bottom > edge.bottom + 1 ||
                boxes.some(([other, beside], j) => j > i && box.left < beside.right && beside.left < box.right
                  && box.top < beside.bottom - 2 && beside.top < box.bottom - 2)).map(([said]) => said);
            }).join(', ')""";

    @TempDir
    Path folder = Path.of("");

    @Test
    void everythingOnThePageCanBeRead() throws Exception {
        Optional<Path> chromium = Browser.find();
        Assumptions.assumeTrue(chromium.isPresent(), "no Chromium here; ./verify installs it");
        try (Browser browser =
                Browser.open(chromium.orElseThrow(), page().toUri().toString())) {
            browser.await("document.readyState", "complete");
            browser.await("document.querySelectorAll('svg').length", "5");
            assertThat(browser.evaluate(UNREADABLE)).as("texts of charts").isEmpty();
            assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                    .isEqualTo("true");
            assertThat(browser.evaluate("performance.getEntriesByType('resource').length"))
                    .as("files that the page loads")
                    .isEqualTo("0");
            Path picture = System.getProperty("sluice.pictures", "").equals("write")
                    ? DOCS.resolve("images").resolve("replay.png")
                    : Path.of("target", "replay.png");
            Files.write(picture, browser.screenshot());
        }
    }

    /** The report on the log and the rules of the docs. */
    private Path page() throws IOException {
        Matcher rules = RULES.matcher(Files.readString(DOCS.resolve("choosing-limits.md")));
        assertThat(rules.find()).isTrue();
        Path file = Files.writeString(folder.resolve("rules.yaml"), rules.group(1));
        String log = folder.resolve("access.log").toString();
        Path page = folder.resolve("replay.html");
        run("generate", "--lines", "20000", "--seed", "7", "--out", log);
        run("replay", log, "--rules", file.toString(), "--report", page.toString());
        Files.writeString(page, Files.readString(page).replace(folder + "/", ""));
        return page;
    }

    private static void run(String... args) {
        StringWriter said = new StringWriter();
        PrintWriter writer = new PrintWriter(said, true);
        assertThat(Main.run(writer, writer, args)).as(said.toString()).isZero();
    }
}
