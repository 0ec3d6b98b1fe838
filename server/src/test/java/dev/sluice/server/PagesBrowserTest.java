package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.record.RecorderSettings;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * People use the pages of the admin port, in a real browser on a real server: one of each for all tests. With {@code
 * -Dsluice.screenshots=write} the pictures of docs/page.md are taken anew.
 */
@Tag("slow")
class PagesBrowserTest {
    private static final String RULES = """
            rules:
              - name: login-per-ip
                when: { path: /login, method: POST }
                key: [ip]
                limits: [5 per 1h sliding-log]
              - name: api-per-user
                when: { path: /api/** }
                key: [user]
                limits: [20 per 1h token-bucket]
              - name: search
                when: { path: /search }
                key: [ip]
                limits: [30 per 1h sliding-window]
                on-exceed: shadow
            """;
    /** Of the server that the pictures show. */
    private static final String PICTURED = RULES.replace("20 per 1h token-bucket", "5 per 1s token-bucket");

    /** Keys that would be run if they were ever taken for HTML. */
    private static final List<String> HOSTILE =
            List.of("<script>hacked=1</script>", "<img src=x onerror=hacked=1>", "'\"><svg onload=hacked=1>");

    private static final Path IMAGES = Path.of("..", "docs", "images");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static @Nullable Service started;
    private static @Nullable Browser opened;
    /** How many problems the browser had before this test. */
    private static int problemsBefore;

    private final List<String> expected = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        Optional<Path> chromium = Browser.find();
        Assumptions.assumeTrue(chromium.isPresent(), "no Chromium here; ./verify installs it");
        if (started == null) {
            started = new Service(Service.settings(RULES).recorder(RecorderSettings.of(4 << 20)));
        }
        if (opened == null) {
            opened = Browser.open(chromium.orElseThrow(), "about:blank");
        }
        browser().emulate(1280, Map.of("prefers-color-scheme", "light"));
    }

    @AfterEach
    void noProblems() {
        if (opened == null) {
            return;
        }
        List<String> all = browser().problems();
        List<String> problems = all.subList(problemsBefore, all.size()).stream()
                .filter(problem -> expected.stream().noneMatch(problem::contains))
                .toList();
        problemsBefore = all.size();
        assertThat(problems).isEmpty();
        assertThat(browser().evaluate("typeof hacked")).isEqualTo("undefined");
    }

    @AfterAll
    static void stop() throws IOException {
        if (opened != null) {
            opened.close();
        }
        if (started != null) {
            started.close();
        }
    }

    private static Browser browser() {
        return Objects.requireNonNull(opened);
    }

    private static Service service() {
        return Objects.requireNonNull(started);
    }

    private static String admin(String path) {
        return "http://127.0.0.1:" + service().server().adminPort() + path;
    }

    // ---- What a person does

    private static void go(String path) throws InterruptedException {
        browser().evaluate("window.left = true");
        browser().go(admin(path));
        browser().await("window.left", "undefined");
        browser().await("'ready' in document.documentElement.dataset", "true");
    }

    private static void check(String query, int times) {
        for (int i = 0; i < times; i++) {
            service().get("/v1/check?" + query);
        }
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, UTF_8);
    }

    private static void click(String selector) {
        browser().evaluate("document.querySelector('" + selector + "').scrollIntoView({block: 'center'})");
        browser().click(selector);
    }

    /** Writes into a field that has an id. */
    private static void write(String id, String value) {
        browser()
                .evaluate("(field => { field.value = "
                        + new JsonObject().put("v", value).encode()
                        + ".v; field.dispatchEvent(new Event('input', {bubbles: true})); })(document.getElementById('"
                        + id
                        + "'))");
    }

    private static void replace(String from, String to) {
        browser()
                .evaluate(
                        "(field => { field.value = field.value.replace('" + from + "', '" + to
                                + "'); field.dispatchEvent(new Event('input', {bubbles: true})); })(document.getElementById('text'))");
    }

    private static void awaitText(String selector, String part) throws InterruptedException {
        browser().await("document.querySelector('" + selector + "')?.textContent.includes(`" + part + "`)", "true");
    }

    /** Waits until changed rules have been found right. */
    private static void awaitReady() throws InterruptedException {
        browser().await("document.getElementById('apply').disabled", "false");
    }

    private static HttpResponse<String> put(String rules) {
        return CLIENT.sendAsync(
                        HttpRequest.newBuilder(URI.create(admin("/v1/rules")))
                                .PUT(BodyPublishers.ofString(rules))
                                .build(),
                        BodyHandlers.ofString())
                .join();
    }

    private static String inForce() {
        return CLIENT.sendAsync(
                        HttpRequest.newBuilder(URI.create(admin("/v1/rules")))
                                .header("Accept", "application/yaml")
                                .build(),
                        BodyHandlers.ofString())
                .join()
                .body();
    }

    // ---- The live page

    @Test
    void countsMoveAndKeysAppear() throws Exception {
        go("/");
        awaitText("[data-rule=login-per-ip] .limits", "5 per 1h sliding-log");
        for (String key : HOSTILE) {
            check("path=/api/orders&user=" + encoded(key), 150);
        }
        browser()
                .await(
                        "Number(document.querySelector('[data-rule=api-per-user] [data-outcome=denied]').textContent)"
                                + " > 0",
                        "true");
        for (String list : List.of("limited", "hot")) {
            for (String key : HOSTILE) {
                browser()
                        .await(
                                "[...document.querySelectorAll('#" + list + " .key')].some(key => key.textContent === "
                                        + new JsonObject().put("v", key).encode() + ".v)",
                                "true");
            }
        }
        browser().await("Number(document.getElementById('qps').textContent) > 0", "true");
        browser().await("document.querySelectorAll('#all-chart canvas').length", "1");
        awaitText("#sources", "this process");
        assertThat(browser().evaluate("document.querySelectorAll('main script, main img').length"))
                .isEqualTo("0");
        click("[data-span=\"24h\"]");
        browser().await("document.querySelector('[data-span=\"24h\"]').getAttribute('aria-pressed')", "true");
        write("filter", "search");
        browser().await("document.querySelectorAll('#rules-grid article').length", "1");
        go("/");
        browser().await("[...document.querySelectorAll('#limited .key')].length >= 3", "true");
    }

    /** A gap is shown, and the time before any server ran is not, but for the least that a chart shows. */
    @Test
    void chartsBeginWhereAServerDid() throws Exception {
        go("/");
        String charts = "const { sinceStart } = await import('/charts.js');"
                + "const history = (count, first) => ({from: 1000, step: 2, count, series: {"
                + "  allowed: Array.from({length: count}, (_, i) => i < first || i === count - 2 ? null : 1),"
                + "  denied: Array.from({length: count}, (_, i) => i <= first ? null : 2)}});"
                + "const told = shown => [shown.from, shown.count, ...Object.values(shown.series).map(v => v.length)].join();";
        assertThat(browser().run(charts + "return told(sinceStart(history(900, 700)))"))
                .isEqualTo("2400,200,200,200");
        assertThat(browser().run(charts + "return told(sinceStart(history(900, 899)))"))
                .isEqualTo("2680,60,60,60");
        assertThat(browser().run(charts + "return told(sinceStart(history(900, 0)))"))
                .isEqualTo("1000,900,900,900");
        assertThat(browser().run(charts + "return told(sinceStart(history(10, 9)))"))
                .isEqualTo("1000,10,10,10");
    }

    /** A person without a mouse skips the header. */
    @Test
    void theKeyboardSuffices() throws Exception {
        go("/");
        browser().press("Tab");
        assertThat(browser().evaluate("document.activeElement.className")).isEqualTo("skip");
        browser().press("Enter");
        browser().await("document.activeElement.id", "main");
        browser().press("Tab");
        assertThat(browser().evaluate("document.activeElement.dataset.span")).isEqualTo("15m");
    }

    @Test
    void languageAndThemeStay() throws Exception {
        go("/");
        click("#language");
        awaitText("h1", "实时");
        assertThat(browser().evaluate("document.documentElement.lang")).isEqualTo("zh-CN");
        click("#theme");
        browser().await("document.documentElement.dataset.theme", "dark");
        go("/rules");
        awaitText("h1", "规则");
        assertThat(browser().evaluate("document.documentElement.dataset.theme")).isEqualTo("dark");
        click("#language");
        click("#theme");
        awaitText("h1", "Rules");
    }

    // ---- The page of a rule

    @Test
    void aKeyIsDrawnBlockedAndFreed() throws Exception {
        String key = "<b>eve</b>";
        check("path=/api/x&user=" + encoded(key), 3);
        go("/rule?name=api-per-user&key=" + encoded(key));
        awaitText("#facts", "20 per 1h token-bucket");
        browser().await("document.querySelectorAll('#state svg').length", "1");
        awaitText("#key-sentence", "The key has 17 permits left.");
        write("key", "nobody");
        click("#key-form button");
        awaitText("#key-sentence", "The key has 20 permits left.");
        write("key", key);
        click("#key-form button");
        awaitText("#key-sentence", "The key has 17 permits left.");
        browser().evaluate("document.querySelector('#block-form [name=for]').value = '30m'");
        browser().evaluate("document.querySelector('#block-form [name=why]').value = 'too <i>many</i>'");
        click("#block-form button");
        awaitText("#key-override", "Blocked by local@127.0.0.1 until");
        awaitText("#key-override", "Why: too <i>many</i>");
        awaitText("#overrides", "too <i>many</i>");
        assertThat(service().get("/v1/check?path=/api/x&user=" + encoded(key)).statusCode())
                .isEqualTo(429);
        click("#key-override button");
        browser().await("document.querySelector('#key-override').textContent", "");
        click("#reset");
        click("dialog button.main");
        awaitText("#key-sentence", "The key has 20 permits left.");
        assertThat(service().get("/v1/check?path=/api/x&user=" + encoded(key)).statusCode())
                .isEqualTo(200);
        expected.add("400");
        browser().evaluate("document.querySelector('#override-form [name=limits]').value = '5 per soon'");
        click("#override-form button");
        awaitText("#key-trouble", "soon");
    }

    @Test
    void aLogIsDrawnByItsEntriesAndAWindowByItsSlices() throws Exception {
        String bars = "[...document.querySelectorAll('#state svg rect title')].map(each => each.textContent).join()";
        check("method=POST&path=/login&ip=203.0.113.16", 4);
        go("/rule?name=login-per-ip&key=203.0.113.16");
        awaitText("#state svg", "4 of 5");
        assertThat(browser().evaluate(bars)).contains("taken").doesNotContain("NaN");
        check("path=/search&ip=203.0.113.17", 3);
        go("/rule?name=search&key=203.0.113.17");
        awaitText("#state svg", "3 of 30");
        assertThat(browser().evaluate(bars)).contains("taken").doesNotContain("NaN");
        assertThat(browser().evaluate("document.querySelectorAll('#state svg line.bound').length"))
                .isEqualTo("1");
    }

    // ---- The rules

    @Test
    void rulesAreEditedTriedAppliedAndRolledBack() throws Exception {
        check("method=POST&path=/login&ip=203.0.113.77", 8);
        go("/rules");
        browser().await("document.getElementById('text').value.includes('login-per-ip')", "true");
        String before = inForce();
        replace("5 per 1h sliding-log", "3 per 1h slidng-log");
        awaitText("#verdict", "the first in line 5");
        awaitText("#under .wrong .why", "unknown algorithm");
        assertThat(browser().evaluate("document.querySelector('#gutter .wrong').textContent"))
                .isEqualTo("5");
        assertThat(browser().evaluate("document.getElementById('apply').disabled"))
                .isEqualTo("true");
        awaitText("#problems li button:last-child", "Use sliding-log");
        click("#problems li button:last-child");
        awaitText("#verdict", "No problem. Rules: 3");
        awaitReady();
        awaitText("#diff .out", "5 per 1h sliding-log");
        awaitText("#diff .in", "3 per 1h sliding-log");
        click("#try");
        awaitText("#trial-result", "more denials");
        awaitText("#trial-result", "203.0.113.77");
        assertThat(inForce()).as("a trial changes nothing").isEqualTo(before);
        click("#apply");
        awaitText("#done", "Applied. Version ");
        assertThat(inForce()).contains("3 per 1h sliding-log");
        awaitText("#diff", "The text is the same.");
        click("#history tbody tr:nth-child(2) button:last-child");
        click("dialog button.main");
        awaitText("#done", "is in force again");
        browser().await("document.getElementById('text').value.includes('5 per 1h sliding-log')", "true");
        assertThat(inForce()).isEqualTo(before);
        awaitText("#history", "local@127.0.0.1");
    }

    @Test
    void twoWhoEditAtOnceDoNotOverwriteEachOther() throws Exception {
        expected.add("412");
        String before = inForce();
        go("/rules");
        browser().await("document.getElementById('text').value.includes('login-per-ip')", "true");
        replace("30 per 1h sliding-window", "31 per 1h sliding-window");
        awaitReady();
        String theirs = before.replace("20 per 1h token-bucket", "21 per 1h token-bucket");
        assertThat(put(theirs).statusCode()).isEqualTo(200);
        browser().evaluate("document.getElementById('apply').click()");
        awaitText("#conflict", "Somebody else changed the rules");
        assertThat(inForce()).as("theirs").isEqualTo(theirs);
        click("#compare-theirs");
        awaitText("#diff .out", "21 per 1h token-bucket");
        click("#take-theirs");
        browser().await("document.getElementById('conflict').hidden", "true");
        browser().await("document.getElementById('text').value.includes('21 per 1h')", "true");
        replace("21 per 1h", "22 per 1h");
        awaitReady();
        assertThat(put(before).statusCode()).isEqualTo(200);
        awaitText("#conflict", "Your text is not applied");
        click("#keep-mine");
        awaitReady();
        click("#apply");
        awaitText("#done", "Applied");
        assertThat(inForce()).contains("22 per 1h token-bucket", "30 per 1h sliding-window");
        assertThat(put(before).statusCode()).isEqualTo(200);
    }

    // ---- Explain

    @Test
    void aRequestIsExplained() throws Exception {
        go("/explain");
        write("paste", "POST /login HTTP/1.1\nHost: shop.example\nX-Real-IP: 203.0.113.200\n");
        browser().evaluate("document.querySelector('details').open = true");
        click("#take");
        awaitText("#answer-tag", "would be allowed");
        awaitText("#answer", "5 per 1h sliding-log");
        awaitText("#answer details", "path: /search does not match");
        browser().evaluate("document.querySelector('details').open = false");
        check("method=POST&path=/login&ip=203.0.113.200", 6);
        browser()
                .await(
                        "[...document.querySelectorAll('#denials .key')].some(key => key.textContent ==="
                                + " '203.0.113.200')",
                        "true");
        click("#denials li button");
        awaitText("#answer-tag", "would be denied");
        awaitText("#answer-sentence", "It would be denied by rule login-per-ip. It would be allowed in");
        awaitText("#answer", "a wait of");
        browser().await("new URLSearchParams(location.search).get('ip')", "203.0.113.200");
    }

    // ---- All pages

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/rule?name=login-per-ip&key=203.0.113.5",
                "/rules",
                "/explain?path=/login&method=POST&ip=203.0.113.5"
            })
    void nobodyIsShutOut(String path) throws Exception {
        check("method=POST&path=/login&ip=203.0.113.5", 7);
        go(path);
        browser().run(axe() + "; return 0");
        for (int i = 0; i < 4; i++) {
            String combination = browser()
                    .evaluate("document.documentElement.lang + ' ' + document.documentElement" + ".dataset.theme");
            settle();
            assertThat(
                            browser()
                                    .run(
                                            "return (await axe.run()).violations.map(each => each.id + ' ' +"
                                                    + " each.nodes.map(node => node.target + ': ' + node.failureSummary).join('; ')).join('\\n')"))
                    .as(path + " " + combination)
                    .isEmpty();
            browser().emulate(400, Map.of());
            browser().await("document.documentElement.scrollWidth <= innerWidth", "true");
            browser().emulate(1280, Map.of());
            String language = browser().evaluate("document.documentElement.lang");
            if (i % 2 == 0) {
                click("#theme");
            } else {
                click("#language");
                browser().await("document.documentElement.lang !== '" + language + "'", "true");
            }
        }
        if (browser().evaluate("document.documentElement.lang").equals("zh-CN")) {
            click("#language");
        }
        browser().evaluate("localStorage.clear()");
    }

    /** Waits until a page shows something beside its frame. */
    private static void settle() throws InterruptedException {
        browser()
                .await(
                        "document.querySelector('[data-rule], #state svg, #gutter div, #answer .consider') !== null",
                        "true");
    }

    private static String axe() throws IOException {
        try (InputStream script = Objects.requireNonNull(PagesBrowserTest.class.getResourceAsStream("axe.min.js"))) {
            return new String(script.readAllBytes(), UTF_8);
        }
    }

    /** The pictures of docs/page.md. */
    @Test
    void picturesAreTaken() throws Exception {
        Assumptions.assumeTrue(System.getProperty("sluice.screenshots", "").equals("write"));
        try (Service busy = new Service(Service.settings(PICTURED).recorder(RecorderSettings.of(4 << 20)))) {
            Service before = service();
            started = busy;
            takePictures();
            started = before;
        }
    }

    /** A shop: people, and later a script that asks for too much, and somebody who guesses passwords. */
    private static void traffic(int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            int people = 6 + (int) Math.round(4 * Math.sin(i / 20.0));
            for (int person = 0; person < people; person++) {
                check("path=/api/orders&user=customer-" + (i * 7 + person * 3) % 40, 1);
            }
            check("path=/search&ip=192.0.2." + (40 + i % 30), 1);
            if (i > 60) {
                check("path=/api/orders&user=export-script", 7);
            }
            if (i > 120 && i % 2 == 0) {
                check("method=POST&path=/login&ip=198.51.100.7", 1 + i % 3);
            }
            if (i % 9 == 0) {
                check("method=POST&path=/login&ip=203.0.113." + (5 + i % 4), 1);
            }
            TimeUnit.MILLISECONDS.sleep(480);
        }
    }

    private static void takePictures() throws Exception {
        traffic(0, 240);
        CompletableFuture<?> goesOn = CompletableFuture.runAsync(() -> {
            try {
                traffic(240, 480);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        for (String theme : List.of("light", "dark")) {
            picture("live-" + theme, "/", 1280, 1080, theme);
            picture("rule-" + theme, "/rule?name=login-per-ip&key=198.51.100.7", 1280, 1080, theme);
            picture("explain-" + theme, "/explain?path=/login&method=POST&ip=198.51.100.7", 1280, 620, theme);
        }
        picture("live-narrow", "/", 400, 900, "light");
        for (String theme : List.of("light", "dark")) {
            picture("rules-" + theme, "/rules", 1280, 860, theme);
        }
        goesOn.join();
        browser().go("about:blank");
    }

    private static void picture(String name, String path, int width, int height, String theme) throws Exception {
        browser().emulate(width, height, Map.of("prefers-color-scheme", theme));
        go(path);
        settle();
        boolean edits = path.equals("/rules");
        if (edits) {
            replace("5 per 1h sliding-log", "3 per 1h sliding-log");
            awaitReady();
            browser().evaluate("document.getElementById('try').click()");
            awaitText("#trial-result", "denials");
        }
        TimeUnit.SECONDS.sleep(4);
        Files.write(IMAGES.resolve("page-" + name + ".png"), browser().screenshot());
        if (edits) {
            replace("3 per 1h sliding-log", "3 per 1h slidng-log");
            awaitText("#verdict", "Problems");
            Files.write(
                    IMAGES.resolve("page-" + name.replace("rules", "mistake") + ".png"),
                    browser().screenshot());
            replace("3 per 1h slidng-log", "5 per 1h sliding-log");
        }
    }
}
