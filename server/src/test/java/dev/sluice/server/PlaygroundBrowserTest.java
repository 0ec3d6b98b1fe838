package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ruleset.InitialRules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A person plays with the page, in a real browser. */
@Tag("slow")
class PlaygroundBrowserTest {
    private static final String PANELS = "document.querySelectorAll('#picture g[data-name]').length";
    private static final String HEADING = "document.querySelector('#picture svg .title')?.textContent";
    private static final String PROBLEM = "document.getElementById('problem')";

    @Test
    void changingAParameterChangesThePicture() throws Exception {
        Optional<Path> chromium = Browser.find();
        Assumptions.assumeTrue(chromium.isPresent(), "no Chromium here; ./verify installs it");
        try (SluiceServer server = SluiceServer.start(ServerSettings.of(InitialRules.example()));
                Browser browser =
                        Browser.open(chromium.orElseThrow(), "http://127.0.0.1:" + server.adminPort() + "/")) {
            browser.await(HEADING, "10 per 10s, boundary traffic");
            browser.await(PANELS, "4");
            browser.await(cell(0, 0), "Fixed window, aligned");
            browser.await(cell(0, 3), "20");
            browser.await(cell(2, 0), "Sliding log");
            browser.await(cell(2, 3), "10");
            browser.await("getComputedStyle(document.querySelector('#numbers .over')).fontWeight", "600");

            browser.type("permits", "7");
            browser.await(HEADING, "7 per 10s, boundary traffic");
            browser.await(cell(0, 3), "14");
            browser.await(
                    "document.getElementById('code').textContent.split('\\n')[2]",
                    "Limiter.local(Limit.slidingLog(7, Duration.ofSeconds(10)));");
            browser.await("new URLSearchParams(location.search).get('permits')", "7");

            browser.evaluate("document.querySelector('[value=concurrency]').click()");
            browser.await(PANELS, "5");
            browser.await(cell(4, 3), "7 at once");

            browser.type("traffic", "steady");
            browser.await(HEADING, "7 per 10s, steady traffic");

            browser.type("per", "soon");
            browser.await(
                    PROBLEM + ".textContent",
                    "per must be a duration such as 500ms, 30s, 1m, 1h30m, 1d or 1w, was 'soon'");
            browser.await(PROBLEM + ".hidden", "false");
            browser.type("per", "1m");
            browser.await(HEADING, "7 per 1m, steady traffic");
            browser.await(PROBLEM + ".hidden", "true");
            assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                    .isEqualTo("true");
            Files.write(Path.of("target", "playground.png"), browser.screenshot());
        }
    }

    /** A link to the page brings its settings along. */
    @Test
    void aLinkOpensWhatItSays() throws Exception {
        Optional<Path> chromium = Browser.find();
        Assumptions.assumeTrue(chromium.isPresent(), "no Chromium here; ./verify installs it");
        try (SluiceServer server = SluiceServer.start(ServerSettings.of(InitialRules.example()));
                Browser browser = Browser.open(
                        chromium.orElseThrow(),
                        "http://127.0.0.1:" + server.adminPort()
                                + "/?algorithm=token-bucket&burst=30&traffic=burst&permits=20")) {
            browser.await(HEADING, "20 per 10s, burst traffic");
            browser.await(PANELS, "1");
            browser.await(
                    "document.getElementById('command').textContent",
                    "./sluice simulate --algorithm token-bucket --permits 20 --per 10s --traffic burst --burst 30");
        }
    }

    private static String cell(int row, int column) {
        return "document.querySelectorAll('#numbers tbody tr')[" + row + "]?.children[" + column + "]?.textContent";
    }
}
