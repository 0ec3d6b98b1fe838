package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ruleset.InitialRules;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several people, and a file on disk, change the rules at the same time: nobody overwrites what they have not seen. */
@Tag("full")
class EditingBrowserTest {
    private static final String RULES = """
            rules:
              - name: login
                key: [ip]
                limits: [5 per 1h]
              - name: search
                key: [ip]
                limits: [30 per 1h]
            """;

    @TempDir
    private Path folder = Path.of("");

    private Path file = Path.of("");
    private @Nullable Service started;
    private @Nullable PageSession opened;

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("rules.yaml");
    }

    private void start(String rules) throws Exception {
        Files.writeString(file, rules);
        started = new Service(ServerSettings.of(InitialRules.of(file)));
        opened = PageSession.open(started.server().adminPort());
        page().go("/rules");
        page().awaitTrue("document.getElementById('text').value.includes('login')");
    }

    @AfterEach
    void stop() throws IOException {
        if (opened != null) {
            opened.close();
        }
        if (started != null) {
            started.close();
        }
    }

    private Service service() {
        return Objects.requireNonNull(started);
    }

    private PageSession page() {
        return Objects.requireNonNull(opened);
    }

    private HttpRequest.Builder admin(String path) {
        return HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + service().server().adminPort() + path));
    }

    private String inForce() {
        return service()
                .send(admin("/v1/rules").header("Accept", "application/yaml"))
                .body();
    }

    private void awaitReady() throws InterruptedException {
        page().awaitTrue("!document.getElementById('apply').disabled");
    }

    /** A file with the line ends of Windows is not edited because it is shown, and keeps them. */
    @Test
    void lineEndsAreNoEdit() throws Exception {
        start(RULES.replace("\n", "\r\n"));
        page().awaitText("#verdict", "No problem");
        assertThat(page().browser().evaluate("document.getElementById('discard').disabled"))
                .isEqualTo("true");
        page().awaitText("#diff", "The text is the same.");
        Files.writeString(file, RULES.replace("\n", "\r\n").replace("30 per", "31 per"));
        page().awaitTrue("document.getElementById('text').value.includes('31 per')");
        assertThat(page().browser().evaluate("document.getElementById('conflict').hidden"))
                .isEqualTo("true");
        page().replace("5 per 1h", "6 per 1h");
        awaitReady();
        page().awaitText("#diff", "lines added: 1");
        page().click("#apply");
        page().awaitText("#done", "Applied");
        assertThat(inForce())
                .isEqualTo(RULES.replace("30 per", "31 per")
                        .replace("5 per", "6 per")
                        .replace("\n", "\r\n"));
    }

    @Test
    void aFileThatChangesOnDiskIsAConflictThatShowsBoth() throws Exception {
        start(RULES);
        page().replace("5 per 1h", "6 per 1h");
        awaitReady();
        String theirs = RULES.replace("30 per", "31 per");
        Files.writeString(file, theirs);
        page().awaitText("#conflict", "rules");
        page().awaitTrue("!document.getElementById('conflict').hidden");
        assertThat(page().browser().evaluate("document.getElementById('text').value.includes('6 per')"))
                .isEqualTo("true");
        page().browser().evaluate("document.getElementById('apply').click()");
        page().awaitText("#diff", "31 per 1h");
        page().awaitText("#diff", "6 per 1h");
        assertThat(inForce()).isEqualTo(theirs);
    }

    /** Two people with a page each. */
    @Test
    void aRollBackDuringAnEdit() throws Exception {
        start(RULES);
        page().replace("30 per", "31 per");
        awaitReady();
        page().click("#apply");
        page().awaitText("#done", "Applied");
        page().replace("5 per", "6 per");
        awaitReady();
        assertThat(service()
                        .send(admin("/v1/rules/rollback?version=1").POST(BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(200);
        page().browser().evaluate("document.getElementById('apply').click()");
        page().awaitTrue("!document.getElementById('conflict').hidden");
        assertThat(inForce()).isEqualTo(RULES);
        page().awaitText("#diff", "6 per 1h");
        page().click("#keep-mine");
        awaitReady();
        page().click("#apply");
        page().awaitText("#done", "Applied");
        assertThat(inForce()).contains("6 per 1h", "31 per 1h");
    }

    /** An answer about the version before, which comes after one has applied another, is not taken for news. */
    @Test
    void anAnswerThatIsLateIsNoConflict() throws Exception {
        start(RULES);
        page().browser()
                .evaluate("(real => { window.held = []; window.fetch = async (path, options) => {"
                        + " const answer = await real(path, options);"
                        + " if (window.holding && !options?.method) await new Promise(go => window.held.push(go));"
                        + " return answer; }; })(window.fetch)");
        page().replace("5 per 1h", "6 per 1h");
        awaitReady();
        page().browser().evaluate("window.holding = true");
        page().awaitTrue("window.held.length >= 2");
        page().browser().evaluate("window.holding = false");
        page().click("#apply");
        page().awaitText("#done", "Applied");
        page().awaitTrue("document.querySelectorAll('#history tbody tr').length === 2");
        page().browser().evaluate("window.held.forEach(go => go())");
        assertThat(page().browser()
                        .run("await new Promise(done => setTimeout(done, 100));"
                                + " return [document.getElementById('text').value.includes('6 per'),"
                                + " document.getElementById('conflict').hidden]"))
                .isEqualTo("true,true");
    }

    /** A text that has nothing in common with a file of a thousand rules does not stop the page. */
    @Test
    void aWholeOtherFileIsCompared() throws Exception {
        start(many("rule", 1000));
        page().browser().evaluate("window.other = " + PageSession.literal(many("other", 1000)));
        page().browser().evaluate("document.getElementById('text').value = window.other");
        page().browser().evaluate("document.getElementById('text').dispatchEvent(new Event('input', {bubbles: true}))");
        page().awaitText("#diff", "removed: 3000");
        awaitReady();
        assertThat(Long.parseLong(page().browser().evaluate("performance.memory.usedJSHeapSize")))
                .isLessThan(200L << 20);
    }

    private static String many(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "  - name: " + name + "-login-" + i + "\n    key: [" + name + i + "]\n    limits: ["
                        + (i + 1) + " per " + (name.equals("rule") ? "1h" : "1m") + "]\n")
                .collect(Collectors.joining("", "rules:\n", ""));
    }
}
