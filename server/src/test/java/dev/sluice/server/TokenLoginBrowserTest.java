package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with a token, as a process of its own: a browser asks for it, and nothing else gets in. */
@Tag("full")
class TokenLoginBrowserTest {
    private static final String TOKEN = "correct-horse-battery-staple";
    private static final String RULES = """
            rules:
              - name: login-per-ip
                when: { path: /login }
                key: [ip]
                limits: [2 per 1h sliding-log]
            """;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    private Path folder = Path.of("");

    private @Nullable ServeProcess server;
    private @Nullable PageSession person;

    @BeforeEach
    void start() throws IOException {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        Path tokens = Files.writeString(folder.resolve("tokens"), "ada:" + TOKEN + "\n");
        server = ServeProcess.start(
                Map.of(), "--rules", rules.toString(), "--admin-token-file", tokens.toString(), "--record", "4MB");
        person = PageSession.open(server().adminPort());
    }

    @AfterEach
    void stop() throws IOException {
        if (person != null) {
            person.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private ServeProcess server() {
        return java.util.Objects.requireNonNull(server);
    }

    private PageSession person() {
        return java.util.Objects.requireNonNull(person);
    }

    private HttpResponse<String> ask(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(person().url(path)))
                .header("Authorization", "Bearer " + TOKEN)
                .method(method, BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return CLIENT.sendAsync(request.build(), BodyHandlers.ofString()).join();
    }

    private void login(String ip, int times) {
        for (int i = 0; i < times; i++) {
            server().status("/v1/check?path=/login&ip=" + ip);
        }
    }

    @Test
    void withTheTokenEveryPageWorks() throws Exception {
        PageSession page = person();
        page.browser().password(TOKEN);
        page.go("/");
        login("203.0.113.9", 5);
        page.awaitText("#limited", "203.0.113.9");
        page.go("/rule?name=login-per-ip&key=203.0.113.9");
        page.awaitText("#key-sentence", "The next permit is free in");
        page.click("#block-form button");
        page.awaitText("#key-override", "Blocked by ada@127.0.0.1");
        page.go("/explain");
        login("203.0.113.10", 5);
        page.awaitText("#denials", "203.0.113.10");
        page.go("/rules");
        page.awaitTrue("document.getElementById('text').value.includes('login-per-ip')");
        page.replace("2 per 1h", "3 per 1h");
        page.awaitTrue("!document.getElementById('apply').disabled");
        page.click("#try");
        page.awaitText("#trial-result", "denials");
        page.click("#apply");
        page.awaitText("#done", "Applied. Version ");
        page.awaitText("#history", "ada@127.0.0.1");
        page.go("/playground");
        page.awaitTrue("document.querySelectorAll('#picture svg').length === 1");
        page.go("/capacity");
        page.awaitTrue("document.querySelectorAll('#pools dd').length > 0");
        assertThat(page.browser().evaluate("location.href + document.cookie + JSON.stringify(localStorage)"))
                .doesNotContain(TOKEN);
        assertThat(page.problems()).isEmpty();
        server().stop();
        assertThat(server().said()).as("its log").isNotEmpty().noneMatch(line -> line.contains(TOKEN));
    }

    /** An address with the token in it is what people keep as a bookmark, and scripts then may not use addresses from it. */
    @Test
    void aBookmarkWithTheTokenWorksToo() throws Exception {
        PageSession page = person();
        page.leave(page.url("/").replace("http://", "http://anybody:" + TOKEN + "@"));
        login("203.0.113.9", 5);
        page.awaitText("#limited", "203.0.113.9");
        page.leave(page.url("/explain").replace("http://", "http://anybody:" + TOKEN + "@"));
        page.awaitTrue("'ready' in document.documentElement.dataset");
        login("203.0.113.10", 5);
        page.awaitText("#denials", "203.0.113.10");
    }

    @Test
    void withAnotherTokenThereIsNothing() throws Exception {
        PageSession page = person();
        page.browser().password("");
        page.leave(page.url("/").replace("http://", "http://anybody:not-" + TOKEN + "@"));
        page.awaitTrue("document.body !== null");
        assertThat(page.browser().evaluate("document.documentElement.textContent"))
                .contains("this token is not known here")
                .doesNotContain(TOKEN);
        assertThat(page.browser().evaluate("document.scripts.length")).isEqualTo("0");
        page.leave(page.url("/rules"));
        assertThat(page.browser().evaluate("document.documentElement.textContent"))
                .doesNotContain("login-per-ip");
    }

    /** A page of another origin, in the browser of somebody who has logged in: the browser sends the token along. */
    @Test
    void aPageOfAnotherOriginChangesAndReadsNothing() throws Exception {
        PageSession page = person();
        page.browser().password(TOKEN);
        page.go("/");
        HttpServer evil = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        evil.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Content-Type", "text/html");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("<p>evil</p><iframe name=hidden></iframe>".getBytes(UTF_8));
            exchange.close();
        });
        evil.start();
        try {
            for (String host : List.of("127.0.0.1", "localhost")) {
                page.leave("http://" + host + ":" + evil.getAddress().getPort() + "/");
                attack(page, ask("GET", "/v1/rules/versions", "").body());
            }
        } finally {
            evil.stop(0);
        }
        assertThat(ask("GET", "/v1/rules", "", "Accept", "application/yaml").body())
                .isEqualTo(RULES);
        assertThat(ask("GET", "/v1/keys/login-per-ip/eve", "").body()).contains("\"override\" : null");
    }

    private void attack(PageSession page, String versions) {
        String block = page.url("/v1/keys/login-per-ip/eve/block");
        String rules = page.url("/v1/rules");
        String json = "'{\"for\": \"1h\"}'";
        for (String call : List.of(
                "fetch('" + block + "', {method: 'PUT', body: " + json + ", credentials: 'include'})",
                "fetch('" + block + "', {method: 'POST', mode: 'no-cors', body: " + json + ", credentials: 'include'})",
                "fetch('" + rules + "', {method: 'PUT', body: 'rules: []', credentials: 'include'})",
                "fetch('" + rules + "/rollback?version=1', {method: 'POST', mode: 'no-cors', credentials: 'include'})",
                "fetch('" + rules
                        + "/try', {method: 'POST', mode: 'no-cors', body: 'rules: []', credentials: 'include',"
                        + " headers: {'Content-Type': 'text/plain'}})",
                "fetch('" + page.url("/v1/live") + "', {credentials: 'include'}).then(a => a.text())",
                "fetch('" + page.url("/v1/live")
                        + "', {mode: 'no-cors', credentials: 'include'}).then(a => a.text())")) {
            assertThat(page.browser()
                            .run("try { const a = await " + call + "; return a.status ?? a; } catch { return ''; }"))
                    .as(call)
                    .isIn("", "0");
        }
        page.browser()
                .run("const form = Object.assign(document.createElement('form'), {method: 'POST', target: 'hidden',"
                        + " enctype: 'text/plain', action: '" + rules + "/rollback?version=1'});"
                        + " document.body.append(form); form.submit();"
                        + " await new Promise(done => document.querySelector('iframe').onload = done); return 0");
        assertThat(
                        page.browser()
                                .run(
                                        "return await new Promise(done => { const s = new EventSource('"
                                                + page.url("/v1/events")
                                                + "', {withCredentials: true}); s.onopen = () => done('open'); s.onerror = () => done('refused'); })"))
                .isEqualTo("refused");
        assertThat(ask("GET", "/v1/rules/versions", "").body()).isEqualTo(versions);
    }

    @Test
    void withTheTokenButFromAnotherOriginNothingIsChanged() {
        for (String origin : List.of("http://evil.example", "null", "http://127.0.0.1:1", "http://localhost")) {
            HttpResponse<String> refused = ask(
                    "PUT",
                    "/v1/keys/login-per-ip/eve/block",
                    "{\"for\": \"1h\"}",
                    "Content-Type",
                    "application/json",
                    "Origin",
                    origin);
            assertThat(refused.statusCode()).as(origin).isEqualTo(403);
        }
        for (String site : List.of("cross-site", "same-site")) {
            assertThat(ask("POST", "/v1/rules/rollback?version=1", "", "Sec-Fetch-Site", site)
                            .statusCode())
                    .isEqualTo(403);
        }
    }
}
