package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients choose their keys. Whatever they choose, a person finds the key on the live page, opens it, blocks it, and no
 * other key than this one is blocked.
 */
@Tag("full")
class HostileKeysBrowserTest {
    private static final String RULES = """
            rules:
              - name: per-user
                key: [user]
                limits: [3 per 1h sliding-log]
            """;
    private static int times = 20;
    private static @Nullable Service started;
    private static @Nullable PageSession opened;

    @BeforeAll
    static void start() throws IOException {
        started = Service.with(RULES);
        opened = PageSession.open(started.server().adminPort());
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

    private static Service service() {
        return Objects.requireNonNull(started);
    }

    private static PageSession page() {
        return Objects.requireNonNull(opened);
    }

    static List<String> keys() {
        return List.of(
                "<script>hacked=1</script>",
                "two\nlines",
                "carriage\r\nreturn",
                "nul\0in the middle",
                "right\u202eot tfel",
                "zero\u200bwidth",
                " spaces  around ",
                ".",
                "..",
                "../../rules",
                "a/b",
                "50%",
                "%2F%00",
                "plus+and space",
                "?key=other&rule=x#fragment",
                "'\"`><svg onload=hacked=1>",
                "${hacked=1}",
                "\ud83d\udc7e".repeat(4),
                "block",
                "x".repeat(24) + "~" + "0".repeat(32),
                "long ".repeat(40),
                "\u4e2d".repeat(120),
                "e\nn\nd ".repeat(1400));
    }

    private static int check(String key) {
        String body = new JsonObject()
                .put("attributes", new JsonObject().put("user", key))
                .encode();
        return service()
                .send(HttpRequest.newBuilder(service().uri("/v1/check")).POST(BodyPublishers.ofString(body)))
                .statusCode();
    }

    private static JsonObject admin(String path) {
        return Service.object(service()
                .send(HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + service().server().adminPort() + path))));
    }

    /** The link to a key on the live page, once it is there. Links to all keys are there, so the first new one is it. */
    private static String link(String before) throws InterruptedException {
        String others = before.isEmpty() ? "[]" : before;
        page().awaitTrue(
                        "[...document.querySelectorAll('#limited a.key')].some(a => !" + others + ".includes(a.href))");
        return page().browser()
                .evaluate("[...document.querySelectorAll('#limited a.key')].find(a => !" + others
                        + ".includes(a.href)).href");
    }

    @ParameterizedTest
    @MethodSource("keys")
    void isFoundOpenedAndBlocked(String key) throws Exception {
        page().go("/");
        page().awaitTrue("document.querySelector('#limited .empty, #limited a.key') !== null");
        String before = page().browser()
                .evaluate("JSON.stringify([...document.querySelectorAll('#limited a.key')].map(a => a.href))");
        times += 5; // each more often than those before, so that it is among the first
        for (int i = 0; i < times; i++) {
            check(key);
        }
        String link = link(before);
        page().leave(link);
        page().awaitText("#key-sentence", "The next permit is free in");
        page().click("#block-form button");
        page().awaitText("#key-override", "Blocked by local@127.0.0.1");
        JsonObject blocked =
                admin("/v1/rules?compiled").getJsonArray("temporaryOverrides").getJsonObject(0);
        String known = key.length() > 1000 ? key.substring(0, 900) : key; // the rest is a hash
        assertThat(blocked.getString("key")).startsWith(known).hasSizeBetween(known.length(), 1100);
        assertThat(key.length() > 1000 || blocked.getString("key").equals(key)).isTrue();
        page().click("#key-form button");
        page().awaitText("#key-override", "Blocked by local@127.0.0.1");
        page().click("#key-override button");
        page().awaitTrue("document.querySelector('#key-override').textContent === ''");
        assertThat(admin("/v1/rules?compiled")
                        .getJsonArray("temporaryOverrides")
                        .isEmpty())
                .isTrue();
        page().click("#reset");
        page().click("dialog button.main");
        page().awaitText("#key-sentence", "The key has 3 permits left.");
        assertThat(check(key)).isEqualTo(200);
        assertThat(page().browser().evaluate("typeof hacked")).isEqualTo("undefined");
        assertThat(page().problems()).isEmpty();
    }

    /** What nobody sees is shown, and the text beside it stays where it is. */
    @Test
    void whatIsInvisibleIsShown() throws Exception {
        page().go("/");
        String key = "spoof\u202e\u200b\nend";
        for (int i = 0; i < 200; i++) {
            check(key);
        }
        page().awaitText("#limited", "spoof\\u{202e}\\u{200b}\\u{a}end");
        page().go("/explain");
        Eventually.holds("it is among the denials", Duration.ofSeconds(30), () -> {
            check(key); // again: the page hears of what comes once it listens
            return page().browser()
                    .evaluate("document.querySelector('#denials').textContent.includes('spoof\\\\u{202e}')")
                    .equals("true");
        });
        page().browser()
                .evaluate("[...document.querySelectorAll('#denials button')].find(b =>"
                        + " b.textContent.includes('spoof')).click()");
        page().awaitText("#answer-tag", "would be denied");
        page().awaitTrue("new URLSearchParams(location.search).get('user') === " + PageSession.literal(key));
        page().go("/explain?user=" + URLEncoder.encode(key, UTF_8));
        page().awaitText("#answer-tag", "would be denied");
    }
}
