package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ruleset.InitialRules;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A person uses the demo of the script, in a real browser. */
@Tag("full")
class BrowserScriptPageTest {
    private static @Nullable SluiceServer server;
    private static @Nullable Browser opened;

    @BeforeAll
    static void open() throws IOException {
        Optional<Path> chromium = Browser.find();
        Assumptions.assumeTrue(chromium.isPresent(), "no Chromium here; ./verify installs it");
        server = SluiceServer.start(ServerSettings.of(InitialRules.example()));
        opened = Browser.open(chromium.orElseThrow(), "about:blank");
    }

    @AfterAll
    static void close() throws IOException {
        if (opened != null) {
            opened.close();
        }
        if (server != null) {
            server.close();
        }
    }

    /** The demo in a language, as it looks at first; what it shows and says afterwards is kept in {@code seen} and {@code said}. */
    private static Browser demo(String language) throws InterruptedException {
        Browser browser = Objects.requireNonNull(opened);
        browser.go("http://127.0.0.1:" + Objects.requireNonNull(server).adminPort() + "/demo/?lang=" + language);
        browser.await("document.readyState", "complete");
        browser.await(
                "document.documentElement.lang + document.querySelectorAll('.sluice-status').length", language + 3);
        browser.run("""
                const keep = (name, selector) => {
                  const kept = globalThis[name] = [];
                  const element = document.querySelector(selector);
                  new MutationObserver(() => element.textContent && kept.push(element.textContent))
                    .observe(element, { childList: true, characterData: true, subtree: true });
                };
                keep('seen', '#order + .sluice-countdown');
                keep('said', '#order ~ .sluice-status');
                """);
        return browser;
    }

    private static String count(String id) {
        return "document.getElementById('" + id + "').textContent";
    }

    private static String state(String selector) {
        return "(document.querySelector('" + selector + "').dataset.sluice ?? '')";
    }

    /** What the browser itself writes about a response that is refused, which no page can prevent. */
    private static void hasNoProblems(Browser browser) {
        assertThat(browser.problems()).allMatch(problem -> problem.contains("status of 429"));
    }

    /** Sends orders until one is refused: another test may have sent one just before. */
    private static void untilRefused(Browser browser) throws InterruptedException {
        while (browser.evaluate(count("order-refused")).equals("0")) {
            browser.click("#order");
            browser.await("['', 'waiting'].includes(" + state("#order") + ")", "true");
        }
    }

    @Test
    void oneOfFiveClicksGoesThroughAndARefusalCountsDown() throws Exception {
        Browser browser = demo("en");
        browser.evaluate("[1, 2, 3, 4, 5].forEach(() => document.getElementById('order').click())");
        browser.await(count("order-clicks"), "5");
        browser.await(count("order-sent"), "1");
        browser.await("+" + count("order-done") + " + +" + count("order-refused"), "1");

        untilRefused(browser);
        String sent = browser.evaluate(count("order-sent"));
        browser.evaluate("[1, 2, 3, 4, 5].forEach(() => " + state("#order")
                + " === 'waiting' && document.getElementById('order').click())");
        Files.write(Path.of("target", "demo.png"), browser.screenshot());
        browser.await(state("#order"), "");
        assertThat(browser.evaluate(count("order-sent"))).isEqualTo(sent);
        assertThat(browser.evaluate("document.getElementById('order').hasAttribute('aria-disabled')"))
                .isEqualTo("false");

        List<String> seen = List.of(browser.evaluate("seen.join('|')").split("\\|", -1));
        assertThat(seen).allMatch(text -> text.matches("Try again in [1-5]s")).doesNotHaveDuplicates();
        List<String> said = List.of(browser.evaluate("said.join('|')").split("\\|", -1));
        assertThat(said.subList(said.size() - 2, said.size()).get(0)).matches("Try again in [1-5] seconds?");
        assertThat(said).last().isEqualTo("You can try again now");
        assertThat(said.stream().filter(text -> text.startsWith("Try")).count())
                .isEqualTo(Long.parseLong(browser.evaluate(count("order-refused"))));

        browser.click("#order");
        browser.await(
                "+" + count("order-done") + " + +" + count("order-refused"),
                Integer.toString(Integer.parseInt(sent) + 1));
        hasNoProblems(browser);
    }

    @Test
    void theButtonIsGreyAndKeepsTheFocusMeanwhile() throws Exception {
        Browser browser = demo("en");
        String during = browser.run("""
                const { guard } = await import('/sluice.js');
                const button = document.createElement('button');
                button.style.opacity = '0.9';
                document.querySelector('main').append(button);
                let answer;
                let runs = 0;
                const guarded = guard(button, () => { runs++; return new Promise(resolve => answer = resolve); });
                const look = () => [button.getAttribute('aria-disabled'), button.style.opacity,
                  document.activeElement === button, runs].join(' ');
                button.focus();
                const looks = [look()];
                button.click();
                button.click();
                looks.push(look());
                answer(new Response());
                await new Promise(resolve => setTimeout(resolve));
                looks.push(look());
                button.click();
                guarded.remove();
                answer(new Response(null, { status: 429, headers: { 'Retry-After': '5' } }));
                await new Promise(resolve => setTimeout(resolve));
                button.click();
                looks.push(look(), document.querySelectorAll('main > span').length);
                button.remove();
                return looks.join(', ');
                """);
        assertThat(during).isEqualTo(" 0.9 true 0, true 0.55 true 1,  0.9 true 1,  0.9 true 2, 0");
        hasNoProblems(browser);
    }

    @Test
    void aFormIsSentOnceHoweverOftenEnterIsPressed() throws Exception {
        Browser browser = demo("en");
        browser.evaluate("document.querySelector('#message input').focus()");
        browser.press("Enter");
        assertThat(browser.evaluate(count("message-sent")))
                .as("it is not valid without a text")
                .isEqualTo("0");
        browser.type("text", "hello");
        browser.evaluate("[1, 2, 3, 4, 5].forEach(() => document.getElementById('message').requestSubmit())");
        browser.await(count("message-sent"), "1");
        browser.await("['', 'waiting'].includes(" + state("#message") + ")", "true");
        while (browser.evaluate(count("message-refused")).equals("0")) {
            browser.press("Enter");
            browser.await("['', 'waiting'].includes(" + state("#message") + ")", "true");
        }
        String sent = browser.evaluate(count("message-sent"));
        browser.evaluate(state("#message") + " === 'waiting' && document.getElementById('message').requestSubmit()");
        browser.await(state("#message"), "");
        assertThat(browser.evaluate(count("message-sent"))).isEqualTo(sent);
        assertThat(browser.evaluate("location.pathname")).isEqualTo("/demo/");
        assertThat(browser.evaluate("document.activeElement.name")).isEqualTo("text");
        hasNoProblems(browser);
    }

    @Test
    void aRefusedCallComesBackAndSucceeds() throws Exception {
        Browser browser = demo("en");
        while (browser.evaluate(count("prices-refused")).equals("0")) {
            browser.click("#prices");
            browser.await(state("#prices"), "");
        }
        browser.await(
                "+" + count("prices-sent") + " - +" + count("prices-refused") + " - +" + count("prices-done"), "0");
        assertThat(Integer.parseInt(browser.evaluate(count("prices-done")))).isPositive();
        assertThat(browser.evaluate(count("prices-budget"))).isNotEqualTo("10");
        assertThat(browser.evaluate("document.querySelector('#prices + .sluice-countdown').textContent"))
                .isEmpty();
        hasNoProblems(browser);
    }

    @Test
    void theDemoSpeaksChinese() throws Exception {
        Browser browser = demo("zh");
        assertThat(browser.evaluate("document.getElementById('order').textContent"))
                .isEqualTo("下单");
        untilRefused(browser);
        browser.await(state("#order"), "");
        assertThat(browser.evaluate("seen.every(text => /^请在 [1-5]秒后重试$/.test(text)) && seen.length > 0"))
                .isEqualTo("true");
        assertThat(browser.evaluate("said.join('|')"))
                .contains("请稍候")
                .containsPattern("请在 [1-5]秒钟后重试")
                .endsWith("现在可以重试了");
        hasNoProblems(browser);
    }

    @Test
    void aCallerHasTextsOfItsOwn() throws Exception {
        Browser browser = demo("en");
        String texts = browser.run("""
                const { guard } = await import('/sluice.js');
                const box = document.createElement('div');
                box.lang = 'de-CH';
                const button = document.createElement('button');
                box.append(button);
                document.body.append(box);
                const refusal = new Response(null, { status: 503, headers: { 'Retry-After': '7200' } });
                guard(button, () => refusal, { texts: { wait: 'Weiter in {time}, $& {time}' } });
                button.click();
                await new Promise(resolve => setTimeout(resolve));
                const text = box.querySelector('[role=status]').textContent;
                box.remove();
                return text;
                """);
        assertThat(texts).isEqualTo("Weiter in 2 Stunden, $& {time}");
    }

    @Test
    void mistakesOfACallerAreNamed() throws Exception {
        Browser browser = demo("en");
        assertThat(browser.run("const { guard } = await import('/sluice.js'); "
                        + "try { guard(document.querySelector('#none'), () => {}); } catch (e) { return e; }"))
                .isEqualTo("TypeError: guard(element, action): an HTML element and a function are needed");
        assertThat(browser.run("const { guard } = await import('/sluice.js'); "
                        + "try { guard(document.body); } catch (e) { return e; }"))
                .startsWith("TypeError");
    }

    /** A timer of a browser that is told to wait for 25 to 49 days runs at once. */
    @ParameterizedTest
    @CsvSource({"maxWait: Infinity", "maxWait: -1", "maxWait: 'soon'", "retries: 11", "retries: NaN"})
    void optionsOfFetchHaveBounds(String option) throws Exception {
        Browser browser = demo("en");
        assertThat(browser.run("""
                const { fetch } = await import('/sluice.js');
                let sent = 0;
                globalThis.fetch = async () => {
                  sent++;
                  return new Response(null, { status: 429, headers: { 'Retry-After': '3000000' } });
                };
                const outcome = await fetch('/x', {}, { %s }).catch(e => e.name);
                return outcome + ' ' + sent;
                """.formatted(option))).isEqualTo("RangeError 0");
    }

    /** An action that fails frees the button, and the error is not swallowed. */
    @Test
    void anActionThatFailsFreesTheButton() throws Exception {
        Browser browser = demo("en");
        assertThat(browser.run("""
                const { guard } = await import('/sluice.js');
                const button = document.createElement('button');
                document.body.append(button);
                guard(button, () => { throw new Error('no network'); });
                const seen = new Promise(resolve => addEventListener('unhandledrejection', event => {
                  event.preventDefault();
                  resolve(event.reason.message);
                }, { once: true }));
                button.click();
                const text = await seen;
                button.remove();
                return text + ' ' + button.hasAttribute('aria-disabled');
                """)).isEqualTo("no network false");
    }

    /** How often a call is sent to a server that refuses with this status and header field. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "GET | | 429 | retry-after: 0 | 4",
                "PUT | | 503 | retry-after: 0 | 4",
                "DELETE | | 429 | retry-after: Thu, 01 Jan 1998 00:00:00 GMT | 4",
                "GET | | 429 | ratelimit: \"a\";r=0;t=0, \"b\";r=5;t=90 | 4",
                "POST | idempotency-key: 7 | 429 | retry-after: 0 | 4",
                "POST | | 429 | retry-after: 0 | 1",
                "PATCH | | 503 | retry-after: 0 | 1",
                "GET | | 429 | x: y | 1",
                "GET | | 503 | ratelimit: \"a\";r=0;t=0 | 1",
                "GET | | 429 | retry-after: 31 | 1",
                "GET | | 429 | retry-after: soon | 1",
                "GET | | 500 | retry-after: 0 | 1",
            })
    void onlyWhatCanSucceedIsSentAgain(String method, @Nullable String field, int status, String refusal, int times)
            throws Exception {
        Browser browser = demo("en");
        String[] given = (field == null ? "x: y" : field).split(": ", 2);
        String[] said = refusal.split(": ", 2);
        String sent = browser.run("""
                const { fetch, RetryBudget } = await import('/sluice.js');
                let sent = 0;
                globalThis.fetch = async request => {
                  sent++;
                  if (!['GET', 'DELETE'].includes(request.method) && await request.text() !== 'body') return new Response();
                  return new Response('refused', { status: %d, headers: { '%s': '%s' } });
                };
                const body = ['GET', 'DELETE'].includes('%s') ? undefined : 'body';
                const response = await fetch('/x', { method: '%s', body, headers: { '%s': '%s' } }, { budget: new RetryBudget() });
                return sent + ' ' + response.status + ' ' + await response.text();
                """.formatted(status, said[0], said[1], method, method, given[0], given[1]));
        assertThat(sent).isEqualTo(times + " " + status + " refused");
    }

    @Test
    void theBudgetIsSharedAndAStreamIsSentOnce() throws Exception {
        Browser browser = demo("en");
        String result = browser.run("""
                const { fetch, RetryBudget } = await import('/sluice.js');
                let sent = 0;
                globalThis.fetch = async () => {
                  sent++;
                  return new Response(null, { status: 503, headers: { 'Retry-After': '0' } });
                };
                const counts = [];
                const times = async call => { sent = 0; await call(); counts.push(sent); };
                const budget = new RetryBudget(4, 10);
                await times(() => fetch('/x', {}, { budget }));
                await times(() => fetch('/x', {}, { budget }));
                await times(() => fetch('/x', {}, { budget }));
                await times(() => fetch('/x', {}, { retries: 0 }));
                const body = new ReadableStream({ start(c) { c.enqueue(new Uint8Array(1)); c.close(); } });
                await times(() => fetch('/x', { method: 'PUT', body, duplex: 'half' }));
                await times(async () => { for (let i = 0; i < 20; i++) await fetch('/x'); });
                return counts.join(' ') + ' ' + budget.remaining;
                """);
        assertThat(result).isEqualTo("4 2 1 1 1 31 0");
    }

    @Test
    void anAbortEndsTheWait() throws Exception {
        Browser browser = demo("en");
        assertThat(browser.run("""
                const { fetch } = await import('/sluice.js');
                const stop = new AbortController();
                let sent = 0;
                globalThis.fetch = async () => {
                  sent++;
                  setTimeout(() => stop.abort());
                  return new Response(null, { status: 429, headers: { 'Retry-After': '20' } });
                };
                try {
                  await fetch('/x', { signal: stop.signal });
                } catch (e) {
                  return e.name + ' ' + sent;
                }
                """)).isEqualTo("AbortError 1");
    }

    @Test
    void aDateIsComparedWithTheServersClock() throws Exception {
        Browser browser = demo("en");
        assertThat(browser.run("""
                const { retryAfter } = await import('/sluice.js');
                const wait = headers => retryAfter(new Response(null, { status: 429, headers }));
                const date = 'Mon, 01 Jan 2001 00:00:00 GMT';
                return JSON.stringify([
                  wait({ date, 'retry-after': 'Mon, 01 Jan 2001 00:00:09 GMT' }),
                  wait({ date, 'retry-after': 'Monday, 01-Jan-01 00:00:09 GMT' }),
                  wait({ date, 'retry-after': 'Sun, 31 Dec 2000 00:00:09 GMT' }),
                  wait({ 'retry-after': '120' }),
                  wait({ 'retry-after': '1.5' }),
                  wait({ 'retry-after': '-1' }),
                  wait({ 'retry-after': '5, 10' }),
                  wait({ 'retry-after': '2026-01-01T00:00:30Z' }),
                  wait({ 'retry-after': '7', ratelimit: '"a";r=0;t=60' }),
                  wait({ ratelimit: '"a,b;r=0;t=9";r=0;t=5, "c";r=0;t=3' }),
                  wait({ ratelimit: '"a";r=1;t=60' }),
                  wait({}),
                ]);
                """)).isEqualTo("[9000,9000,0,120000,null,null,null,null,7000,5000,null,null]");
    }

    /** While nothing happens, and while a button counts down. */
    @ParameterizedTest
    @CsvSource({"en, light, 1240", "en, dark, 1240", "zh, light, 400", "zh, dark, 400"})
    void axeFindsNoViolation(String language, String scheme, int width) throws Exception {
        Browser browser = demo(language);
        browser.emulate(width, Map.of("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce"));
        try (InputStream axe = Objects.requireNonNull(getClass().getResourceAsStream("/axe.min.js"))) {
            browser.evaluate("(() => {" + new String(axe.readAllBytes(), UTF_8) + "\n})()");
        }
        assertThat(violations(browser)).isEmpty();
        assertThat(browser.evaluate("getComputedStyle(document.getElementById('order')).transitionDuration"))
                .isEqualTo("0s");
        assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo("true");
        browser.evaluate(
                "globalThis.fetch = async () => new Response(null, { status: 429, headers: { 'Retry-After': '600' } })");
        browser.click("#order");
        browser.await(state("#order"), "waiting");
        assertThat(violations(browser)).isEmpty();
        Files.write(Path.of("target", "demo-" + language + "-" + scheme + ".png"), browser.screenshot());
    }

    private static String violations(Browser browser) {
        return browser.run(
                "const { violations } = await axe.run(); return violations.map(v => v.id + ': ' + v.help + ' '"
                        + " + v.nodes.map(n => n.html).join(' ')).join('\\n');");
    }

    /** Everything can be reached by the keyboard, in the order in which it is seen. */
    @Test
    void theKeyboardIsEnough() throws Exception {
        Browser browser = demo("en");
        StringBuilder order = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            browser.press("Tab");
            order.append(browser.evaluate("document.activeElement.id || document.activeElement.name || "
                            + "document.activeElement.textContent"))
                    .append(' ');
        }
        assertThat(order.toString()).isEqualTo("English 中文 order text Send prices ");
        browser.evaluate("document.getElementById('order').focus()");
        browser.press("Enter");
        browser.await(count("order-sent"), "1");
    }
}
