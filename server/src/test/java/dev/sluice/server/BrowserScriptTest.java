package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ruleset.InitialRules;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the script for browsers and its demo are served. What they do is for {@link BrowserScriptPageTest}. */
@Tag("slow")
class BrowserScriptTest {
    private static final Path FILES = Path.of("src", "main", "resources", "dev", "sluice", "server", "page");
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final SluiceServer SERVER = SluiceServer.start(ServerSettings.of(InitialRules.example()));

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static HttpResponse<byte[]> ask(String port, String method, String path, String... headers)
            throws IOException, InterruptedException {
        int number = port.equals("data") ? SERVER.port() : SERVER.adminPort();
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + number + path))
                .method(method, BodyPublishers.noBody());
        return CLIENT.send(
                (headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofByteArray());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @ParameterizedTest
    @CsvSource({
        "data,  /sluice.js,     text/javascript; charset=utf-8,        sluice.js",
        "data,  /sluice.d.ts,   application/typescript; charset=utf-8, sluice.d.ts",
        "admin, /sluice.js,     text/javascript; charset=utf-8,        sluice.js",
        "admin, /demo/,         text/html; charset=utf-8,              demo.html",
        "admin, /demo/demo.js,  text/javascript; charset=utf-8,        demo.js",
        "admin, /demo/demo.css, text/css; charset=utf-8,               demo.css",
    })
    void filesAreServedWithTheirTypeAndTag(String port, String path, String type, String file) throws Exception {
        byte[] bytes = Files.readAllBytes(FILES.resolve(file));
        HttpResponse<byte[]> plain = ask(port, "GET", path);
        assertThat(plain.statusCode()).isEqualTo(200);
        assertThat(plain.body()).isEqualTo(bytes);
        assertThat(header(plain, "Content-Type")).isEqualTo(type);
        assertThat(header(plain, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(plain, "Vary")).isEqualTo("Accept-Encoding");
        assertThat(header(plain, "Cache-Control"))
                .isEqualTo(path.startsWith("/demo") ? "no-cache" : "public, max-age=300");
        String tag = header(plain, "ETag");
        assertThat(tag).matches("W/\"[0-9a-f]{24}\"");

        HttpResponse<byte[]> zipped = ask(port, "GET", path, "Accept-Encoding", "br, gzip;q=0.8");
        assertThat(header(zipped, "Content-Encoding")).isEqualTo("gzip");
        assertThat(new GZIPInputStream(new ByteArrayInputStream(zipped.body())).readAllBytes())
                .isEqualTo(bytes);
        assertThat(header(ask(port, "GET", path, "Accept-Encoding", "gzip;q=0, x-gzip"), "Content-Encoding"))
                .isEmpty();

        HttpResponse<byte[]> known = ask(port, "GET", path, "If-None-Match", "\"other\", " + tag);
        assertThat(known.statusCode()).isEqualTo(304);
        assertThat(known.body()).isEmpty();
        assertThat(header(known, "ETag")).isEqualTo(tag);
        assertThat(ask(port, "GET", path, "If-None-Match", "\"other\"").statusCode())
                .isEqualTo(200);

        HttpResponse<byte[]> head = ask(port, "HEAD", path);
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(header(head, "Content-Length")).isEqualTo(Integer.toString(bytes.length));
        assertThat(ask(port, "POST", path).statusCode()).isEqualTo(405);
    }

    @Test
    void anyPageMayLoadTheScriptAndNoneTheDemo() throws Exception {
        HttpResponse<byte[]> script = ask("data", "GET", "/sluice.js", "Origin", "https://shop.example");
        assertThat(header(script, "Access-Control-Allow-Origin")).isEqualTo("*");
        HttpResponse<byte[]> demo = ask("admin", "GET", "/demo/");
        assertThat(header(demo, "Content-Security-Policy"))
                .contains("script-src 'self'")
                .doesNotContain("unsafe");
        assertThat(header(demo, "Access-Control-Allow-Origin")).isEmpty();
        assertThat(ask("data", "GET", "/demo/").statusCode()).isEqualTo(404);
        assertThat(ask("admin", "POST", "/demo/order", "Origin", "https://shop.example")
                        .statusCode())
                .isEqualTo(403);
        assertThat(header(ask("admin", "GET", "/demo"), "Location")).isEqualTo("/demo/");
        assertThat(ask("admin", "GET", "/demo/else").statusCode()).isEqualTo(404);
        assertThat(ask("admin", "GET", "/demo/order").statusCode()).isEqualTo(405);
    }

    @Test
    void theDemoHasRealLimits() throws Exception {
        HttpResponse<byte[]> last = ask("admin", "GET", "/demo/prices");
        for (int i = 0; i < 2; i++) {
            last = ask("admin", "GET", "/demo/prices");
        }
        assertThat(header(last, "RateLimit-Policy")).isEqualTo("\"demo-prices\";q=2;w=3");
        if (last.statusCode() == 429) { // on a busy machine three calls may take longer than three seconds
            assertThat(header(last, "Retry-After")).matches("[123]");
            assertThat(new String(last.body(), UTF_8)).contains("\"violated-policies\":[\"demo-prices\"]");
        }
    }

    @Test
    void theScriptIsSmall() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(Files.readAllBytes(FILES.resolve("sluice.js")));
        }
        assertThat(bytes.size()).isLessThan(4096);
    }

    /** What a strict policy refuses: code from text, and markup. */
    @Test
    void theScriptMakesNoCodeAndNoMarkup() throws IOException {
        assertThat(Files.readString(FILES.resolve("sluice.js")))
                .doesNotContain("innerHTML", "outerHTML", "insertAdjacent", "eval", "new Function", "import ", "http");
        String page = Files.readString(FILES.resolve("demo.html"));
        assertThat(page).doesNotContain(" style=", "<style", " onclick", "//cdn", "https:");
        assertThat(page.replace("<script src=\"demo.js\" type=\"module\"></script>", ""))
                .doesNotContain("<script");
    }

    @Test
    void theTypesNameWhatTheScriptExports() throws IOException {
        Pattern exported = Pattern.compile(
                "^export (?:async )?(?:function|class) (\\w+)|^export \\{ \\w+ as (\\w+) }", Pattern.MULTILINE);
        Set<String> real = names(exported, Files.readString(FILES.resolve("sluice.js")));
        Set<String> typed = names(exported, Files.readString(FILES.resolve("sluice.d.ts")));
        assertThat(real).containsExactly("RetryBudget", "fetch", "guard", "retryAfter");
        assertThat(typed).isEqualTo(real);
    }

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(match -> match.group(1) == null ? match.group(2) : match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void bothLanguagesHaveEveryText() throws IOException {
        String script = Files.readString(FILES.resolve("demo.js"));
        String english = script.substring(script.indexOf("  en: {"), script.indexOf("  zh: {"));
        String chinese = script.substring(script.indexOf("  zh: {"), script.indexOf("};"));
        Pattern name = Pattern.compile("^    (\\w+): '", Pattern.MULTILINE);
        Set<String> used = Pattern.compile("data-text=\"(\\w+)\"")
                .matcher(Files.readString(FILES.resolve("demo.html")))
                .results()
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(used).hasSizeGreaterThan(10);
        assertThat(names(name, english)).isEqualTo(used);
        assertThat(names(name, chinese)).isEqualTo(used);
    }
}
