package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ruleset.InitialRules;
import dev.sluice.simulate.Algorithm;
import dev.sluice.simulate.Scenario;
import dev.sluice.simulate.Simulation;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A person plays with the playground and the calculator, in a real browser. With {@code -Dsluice.screenshots=write} their
 * pictures in docs/page.md are taken anew.
 */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlaygroundBrowserTest {
    private static final String PANELS = "document.querySelectorAll('#picture g[data-name]').length";
    private static final String HEADING = "document.querySelector('#picture svg .title')?.textContent";
    private static final String SCENARIO = "document.querySelector('#picture svg .subtitle')?.textContent";
    private static final String PROBLEM = "document.getElementById('problem')";
    private static final String READY = "document.documentElement.hasAttribute('data-ready')";

    private SluiceServer server;
    private Browser browser;

    @BeforeAll
    void start() throws Exception {
        Optional<Path> chromium = Browser.find();
        Assumptions.assumeTrue(chromium.isPresent(), "no Chromium here; ./verify installs it");
        server = SluiceServer.start(ServerSettings.of(InitialRules.example()));
        browser = Browser.open(chromium.orElseThrow(), "about:blank");
    }

    @AfterAll
    void stop() throws Exception {
        if (browser != null) {
            browser.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void wide() {
        browser.emulate(1240, Map.of("prefers-color-scheme", "light", "prefers-reduced-motion", "reduce"));
    }

    @AfterEach
    void noProblems() {
        // What the browser itself writes about a request that is refused, which no page can prevent.
        assertThat(browser.problems()).allMatch(problem -> problem.contains("status of 400"));
    }

    private void play(String query) throws Exception {
        browser.go("about:blank");
        browser.go("http://127.0.0.1:" + server.adminPort() + "/playground" + query);
        browser.await("location.pathname", "/playground");
        browser.await(READY, "true");
        browser.await("document.querySelector('#picture svg, #problem:not([hidden])') !== null", "true");
    }

    @Test
    void changingAParameterChangesThePicture() throws Exception {
        play("");
        browser.await(HEADING, "How many got through in any 10s? The limit is 10.");
        browser.await(SCENARIO, "10 per 10s, boundary traffic");
        browser.await(PANELS, "4");
        browser.await(cell(0, 0), "Fixed window, aligned");
        browser.await(cell(0, 1), "20");
        browser.await(cell(2, 0), "Sliding log");
        browser.await(cell(2, 1), "10");
        browser.await("document.querySelectorAll('#numbers .over').length", "2");

        browser.type("permits", "7");
        browser.await(SCENARIO, "7 per 10s, boundary traffic");
        browser.await(cell(0, 1), "14");
        browser.await(code("java", 2), "Limiter.local(Limit.slidingLog(7, Duration.ofSeconds(10)));");
        browser.await(code("rule", 2), "limits: [7 per 10s sliding-log]");
        browser.await("new URLSearchParams(location.search).get('permits')", "7");

        browser.evaluate("document.querySelector('[value=concurrency]').click()");
        browser.await(PANELS, "5");
        browser.await(cell(4, 1), "7 at once");

        browser.type("traffic", "steady");
        browser.await(SCENARIO, "7 per 10s, steady traffic");
        browser.type("per", "1m");
        browser.await(SCENARIO, "7 per 1m, steady traffic");
        assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo("true");
        Files.write(Path.of("target", "playground.png"), browser.screenshot());
    }

    @Test
    void aMistakeIsNamedAndMended() throws Exception {
        play("?per=soon");
        browser.await(
                PROBLEM + ".textContent",
                "Nothing is drawn: per must be a duration such as 500ms, 30s, 1m, 1h30m, 1d or 1w, was 'soon'");
        browser.type("per", "1m");
        browser.await(SCENARIO, "10 per 1m, boundary traffic");
        browser.await(PROBLEM + ".hidden", "true");
    }

    /** The fixed window lets twice the limit through, the strict ones never more than the limit. */
    @ParameterizedTest
    @ValueSource(strings = {"boundary", "flash-sale", "burst", "steady", "on-off"})
    void fixedWindowsLetTwiceTheLimitThroughAndStrictOnesNever(String traffic) throws Exception {
        play("?algorithm=fixed-window-aligned,sliding-window,sliding-log&traffic=" + traffic);
        browser.await("document.querySelectorAll('#numbers tbody tr').length", "3");
        if (traffic.equals("boundary")) {
            assertThat(browser.evaluate(cell(0, 1))).isEqualTo("20");
            assertThat(browser.evaluate("document.querySelector('#picture text.peak.over').textContent"))
                    .isEqualTo("most: 20");
        }
        assertThat(Integer.parseInt(browser.evaluate(cell(1, 1)))).isLessThanOrEqualTo(10);
        assertThat(Integer.parseInt(browser.evaluate(cell(2, 1)))).isLessThanOrEqualTo(10);
    }

    @Test
    void aThousandPerMinuteOnAFlashSaleIsDrawn() throws Exception {
        play("?permits=1000&per=1m&traffic=flash-sale");
        browser.await(SCENARIO, "1000 per 1m, flash-sale traffic");
        browser.await(PANELS, "4");
    }

    @Test
    void withoutAnAlgorithmNothingIsDrawn() throws Exception {
        play("?algorithm=sliding-log");
        browser.await(PANELS, "1");
        browser.evaluate("document.querySelector('[value=sliding-log]').click()");
        browser.await(PROBLEM + ".textContent", "Tick at least one algorithm.");
        browser.await(PANELS, "0");
        browser.await("document.getElementById('results').hidden", "true");
        browser.await("new URLSearchParams(location.search).get('algorithm')", "");
        browser.evaluate("document.querySelector('[value=token-bucket]').click()");
        browser.await(PANELS, "1");
        browser.await(PROBLEM + ".hidden", "true");
    }

    /** The columns that matter are in sight on a phone. */
    @Test
    void theNumbersFitOnAPhone() throws Exception {
        browser.emulate(400, Map.of("prefers-reduced-motion", "reduce"));
        play("?algorithm=all&permits=1000&per=1m");
        browser.await(PANELS, "9");
        assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo("true");
        assertThat(
                        browser.evaluate(
                                "[...document.querySelectorAll('#numbers th, #numbers td')]"
                                        + ".every(c => c.getBoundingClientRect().right <= innerWidth && c.scrollWidth <= c.clientWidth)"))
                .isEqualTo("true");
        browser.evaluate("document.getElementById('numbers').scrollIntoView()");
        Files.write(Path.of("target", "playground-phone.png"), browser.screenshot());
    }

    /** A screen reader hears one sentence. */
    @Test
    void theResultIsSaidInOneSentence() throws Exception {
        play("");
        browser.await(
                "document.getElementById('said').textContent",
                "10 per 10s, boundary traffic: 2 of 4 algorithms let more than 10 through in 10s; the most was 20, by"
                        + " Fixed window, aligned.");
        assertThat(browser.evaluate("[...document.querySelectorAll('[aria-live], [role=status], [role=alert]')]"
                        + ".map(e => e.id).join()"))
                .isEqualTo("said,problem");
        browser.type("traffic", "steady");
        browser.evaluate("['fixed-window-aligned', 'token-bucket'].forEach(n =>"
                + " document.querySelector('[value=' + n + ']').click())");
        browser.await(
                "document.getElementById('said').textContent",
                "10 per 10s, steady traffic: none of 2 algorithms let more than 10 through in any 10s.");
    }

    /** A link to the page brings its settings along, and the moment that it shows. */
    @Test
    void aLinkOpensWhatItSays() throws Exception {
        play("?algorithm=token-bucket&burst=30&traffic=burst&permits=20&at=12000000");
        browser.await(SCENARIO, "20 per 10s, burst traffic");
        browser.await(PANELS, "1");
        browser.await(
                code("command", 0),
                "./sluice simulate --algorithm token-bucket --permits 20 --per 10s --traffic burst --burst 30");
        browser.await("document.getElementById('clock').textContent", "12s of 40s");
        browser.await("document.getElementById('play').textContent", "Play");
        browser.evaluate("document.getElementById('link').scrollIntoView({block: 'center'})");
        browser.click("#link");
        browser.await("document.getElementById('link').textContent", "Copied");
        assertThat(browser.evaluate("location.search"))
                .isEqualTo("?algorithm=token-bucket&permits=20&per=10s&traffic=burst&burst=30&at=12000000");
    }

    @Test
    void aLineIsCopied() throws Exception {
        play("?algorithm=sliding-log");
        browser.evaluate("Object.defineProperty(navigator, 'clipboard',"
                + " { value: { writeText: async words => { globalThis.copied = words; } } })");
        browser.evaluate("document.querySelector('.rule + button').scrollIntoView({block: 'center'})");
        browser.click(".rule + button");
        browser.await("globalThis.copied", "limits: [10 per 10s sliding-log]");
        browser.await("document.querySelector('.rule + button').textContent", "Copied");
    }

    // ---- Drawing

    @Test
    void trafficIsDrawnByPointerAndByKeyboard() throws Exception {
        play("?algorithm=sliding-log&traffic=steady");
        browser.type("traffic", "drawn");
        browser.await("document.getElementById('drawing').hidden", "false");
        browser.await(SCENARIO, "10 per 10s, drawn traffic");
        assertThat(total()).isBetween(77, 83);

        browser.click("#clear");
        browser.await("new URLSearchParams(location.search).get('drawn')", "0" + ",0".repeat(39));
        browser.await("document.getElementById('said').textContent.includes('none of 1')", "true");
        browser.drag("#bars", 0.26, 0.5, 0.49, 0.5);
        browser.await("new URLSearchParams(location.search).get('drawn').split(',').filter(n => n > 0).length", "10");
        browser.await(cell(0, 1), "10");
        assertThat(total()).isBetween(90, 110);

        for (String key : List.of("Home", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowUp")) {
            browser.evaluate("document.getElementById('bars').dispatchEvent(new KeyboardEvent('keydown'," + " { key: '"
                    + key + "', bubbles: true }))");
        }
        browser.await("document.getElementById('bars').getAttribute('aria-valuetext')", "1 requests from 20s to 21s");
        browser.await("new URLSearchParams(location.search).get('drawn').split(',').slice(19, 21).join()", "2,1");

        String search = browser.evaluate("location.search");
        play(search);
        browser.await("new URLSearchParams(location.search).get('drawn').split(',').slice(19, 21).join()", "2,1");
        browser.await("document.getElementById('drawing').hidden", "false");
        Files.write(Path.of("target", "playground-drawn.png"), browser.screenshot());
    }

    private int total() {
        return Integer.parseInt(browser.evaluate("new URLSearchParams(location.search).get('drawn').split(',')"
                + ".reduce((sum, n) => sum + Number(n), 0)"));
    }

    // ---- The animation

    /** The page works out the states by itself; they are those of the limiters. */
    @ParameterizedTest
    @ValueSource(strings = {"boundary", "flash-sale", "burst", "on-off"})
    void theStatesThatMoveAreThoseOfTheLimiters(String traffic) throws Exception {
        play("?algorithm=all&traffic=" + traffic);
        Scenario scenario = Scenario.parse(Map.of("traffic", traffic));
        List<Simulation> simulations = scenario.run();
        List<Long> moments = new ArrayList<>();
        for (long look = 0; look < 1200; look += 7) { // the simulation looks at its limiter 1,200 times
            moments.add(40_000_000 * look / 1200);
        }
        String times = moments.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
        for (int i = 0; i < simulations.size(); i++) {
            String seen = browser.run("const { stateOf } = await import('/play-state.js');"
                    + "const result = await (await fetch('/simulate.json?algorithm=all&traffic=" + traffic
                    + "')).json();"
                    + "const state = stateOf(result, result.algorithms[" + i + "]);"
                    + "return " + times + ".map(at => state(at).used).join();");
            List<Simulation.Step> used = simulations.get(i).used();
            String real = moments.stream().map(at -> "" + valueAt(used, at)).collect(Collectors.joining(","));
            assertThat(seen).as("%s", scenario.algorithms().get(i)).isEqualTo(real);
        }
    }

    private static long valueAt(List<Simulation.Step> steps, long atMicros) {
        long value = 0;
        for (Simulation.Step step : steps) {
            if (step.atMicros() <= atMicros) {
                value = step.value();
            }
        }
        return value;
    }

    @Test
    void theAnimationPlaysPausesAndSteps() throws Exception {
        play("?algorithm=sliding-log,token-bucket");
        String figures = "[...document.querySelectorAll('#states figure')].map(f => f.dataset.used).join()";
        browser.await("document.getElementById('clock').textContent", "0s of 40s");
        browser.await("document.getElementById('play').textContent", "Play");
        browser.evaluate("document.getElementById('step').scrollIntoView()");
        for (int i = 1; i <= 12; i++) {
            browser.click("#step");
        }
        browser.await(figures, "10,10");
        assertThat(browser.evaluate("document.querySelector('#picture .playhead').getAttribute('d')"))
                .startsWith("M");
        browser.click("#play");
        browser.await("document.getElementById('play').textContent", "Pause");
        String before = browser.evaluate("document.getElementById('clock').textContent");
        browser.await("document.getElementById('clock').textContent !== '" + before + "'", "true");
        browser.click("#play");
        browser.await("document.getElementById('play').textContent", "Play");
        browser.evaluate("(m => { m.value = '1000'; m.dispatchEvent(new Event('input')); })"
                + "(document.getElementById('moment'))");
        browser.await("document.getElementById('clock').textContent", "40s of 40s");
        browser.await("new URLSearchParams(location.search).get('at')", "40000000");
        Files.write(Path.of("target", "playground-states.png"), browser.screenshot());
    }

    @Test
    void withoutReducedMotionItPlaysAtOnce() throws Exception {
        browser.emulate(1240, Map.of("prefers-reduced-motion", "no-preference"));
        play("?algorithm=all&traffic=flash-sale");
        browser.await("document.getElementById('play').textContent", "Pause");
        browser.await("document.getElementById('moment').value > 3", "true");
    }

    // ---- Hostile addresses

    @Test
    void whatAnAddressSaysStaysText() throws Exception {
        String nasty = "%3Cimg%20src%3Dx%20onerror%3DglobalThis.bad%3D1%3E";
        play("?per=" + nasty + "&algorithm=sliding-log");
        browser.await(PROBLEM + ".textContent.includes('<img src=x')", "true");
        play("?drawn=" + nasty + "&traffic=drawn&at=" + nasty);
        play("?traffic=" + nasty + "&algorithm=" + nasty + "," + "constructor&toString=1&__proto__=2");
        assertThat(browser.evaluate("globalThis.bad")).isEqualTo("undefined");
        assertThat(browser.evaluate("document.querySelectorAll('main img').length"))
                .isEqualTo("0");
    }

    // ---- The calculator

    @Test
    void theCalculator() throws Exception {
        browser.go("http://127.0.0.1:" + server.adminPort() + "/capacity?qps=1000&response=50ms&target=99.99");
        browser.await("document.getElementById('inFlight')?.textContent", "50");
        browser.await("document.getElementById('downMonth')?.textContent", "4.4 min");
        browser.type("target", "99.9");
        browser.await("document.getElementById('downMonth')?.textContent", "43.8 min");
        browser.type("limit", "10 per 10s fixed-window aligned=epoch");
        browser.await("document.getElementById('limitPeriod')?.textContent", "1,000");
        browser.type("limit", "10 per week-end");
        browser.await(PROBLEM + ".hidden", "false");
        browser.type("limit", "3 at once");
        browser.await("document.getElementById('limitInFlight')?.textContent", "150");
        browser.await(PROBLEM + ".hidden", "true");
        browser.await("new URLSearchParams(location.search).get('limit')", "3 at once");
        Files.write(Path.of("target", "capacity.png"), browser.screenshot());
    }

    // ---- Everybody

    @ParameterizedTest
    @CsvSource({
        "/playground, en, light, 1240",
        "/playground, en, dark, 400",
        "/playground, zh, light, 400",
        "/playground, zh, dark, 1240",
        "/capacity, en, light, 400",
        "/capacity, en, dark, 1240",
        "/capacity, zh, light, 1240",
        "/capacity, zh, dark, 400"
    })
    void axeFindsNoViolation(String path, String language, String scheme, int width) throws Exception {
        browser.emulate(width, Map.of("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce"));
        String query = path.equals("/playground") ? "?algorithm=all&traffic=drawn&drawn=0,20,20,3" : "";
        browser.go("http://127.0.0.1:" + server.adminPort() + path);
        browser.await(READY, "true");
        browser.evaluate("localStorage.setItem('language', '" + language + "')");
        browser.go("about:blank");
        browser.go("http://127.0.0.1:" + server.adminPort() + path + query);
        browser.await("document.documentElement.lang", language.equals("zh") ? "zh-CN" : "en");
        browser.await("document.querySelector('#states figure, #downMonth') !== null", "true");
        try (InputStream axe = Objects.requireNonNull(getClass().getResourceAsStream("/axe.min.js"))) {
            browser.evaluate("(() => {" + new String(axe.readAllBytes(), UTF_8) + "\n})()");
        }
        String found = browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; });"
                + "const { violations } = await axe.run(); return violations.map(v => v.id + ': ' + v.help + ' '"
                + " + v.nodes.map(n => n.html).join(' ')).join('\\n');");
        assertThat(found).isEmpty();
        assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo("true");
        Files.write(
                Path.of("target", path.substring(1) + "-" + language + "-" + scheme + "-" + width + ".png"),
                browser.screenshot());
        browser.evaluate("localStorage.clear()");
    }

    /** The switches of the header work on these pages too, and the picture follows. */
    @Test
    void languageAndThemeCanBeSwitched() throws Exception {
        play("?algorithm=sliding-log");
        String ground = "getComputedStyle(document.querySelector('#picture .ground')).fill";
        String light = browser.evaluate(ground);
        browser.click("#theme");
        browser.await(ground + " !== '" + light + "'", "true");
        browser.click("#language");
        browser.await(HEADING, "任意 10s 内放行了多少请求？ 限额为 10。");
        browser.await(cell(0, 0), "滑动日志");
        browser.evaluate("localStorage.clear()");
    }

    @Test
    void everyAlgorithmHasADrawing() throws Exception {
        play("?algorithm=all");
        browser.await(
                "[...document.querySelectorAll('#states figure')].map(f => f.dataset.algorithm).join()",
                List.of(Algorithm.values()).stream().map(Algorithm::text).collect(Collectors.joining(",")));
    }

    /** The pictures of docs/page.md. */
    @Test
    void picturesAreTaken() throws Exception {
        Assumptions.assumeTrue(System.getProperty("sluice.screenshots", "").equals("write"));
        Path images = Path.of("..", "docs", "images");
        for (String theme : List.of("light", "dark")) {
            Map<String, String> features = Map.of("prefers-color-scheme", theme, "prefers-reduced-motion", "reduce");
            browser.emulate(1280, 1400, features);
            play("?algorithm=fixed-window-aligned,sliding-log,token-bucket&at=10120000");
            browser.await("document.getElementById('clock').textContent", "10.12s of 40s");
            Files.write(images.resolve("page-playground-" + theme + ".png"), browser.screenshot());
            browser.emulate(1280, 900, features);
            browser.go("http://127.0.0.1:" + server.adminPort() + "/capacity");
            browser.await("document.getElementById('downMonth')?.textContent", "43.8 min");
            Files.write(images.resolve("page-capacity-" + theme + ".png"), browser.screenshot());
        }
    }

    private static String cell(int row, int column) {
        return "document.querySelectorAll('#numbers tbody tr')[" + row + "]?.children[" + column + "]?.textContent";
    }

    private static String code(String type, int index) {
        return "document.querySelectorAll('#recipes ." + type + "')[" + index + "]?.textContent";
    }
}
