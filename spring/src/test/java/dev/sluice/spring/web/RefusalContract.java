package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** How denied requests are answered, and what the answers to allowed ones show. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
abstract class RefusalContract {
    private static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    private final WebApplicationType type;
    private final List<Class<?>> classes;
    private RunningApp app;

    @SuppressWarnings("NullAway.Init")
    RefusalContract(WebApplicationType type, Class<?>... classes) {
        this.type = type;
        this.classes = List.of(classes);
    }

    @BeforeAll
    void start() {
        app = RunningApp.start(
                type,
                classes,
                "sluice.store=memory",
                "sluice.rules[0].name=filtered",
                "sluice.rules[0].when.path=/filtered",
                "sluice.rules[0].limits=1 per 1h",
                "sluice.rules[1].name=all",
                "sluice.rules[1].when.path=/shown",
                "sluice.rules[1].limits=100 per 1h",
                "sluice.rules[2].name=around",
                "sluice.rules[2].when.header.x-around=yes",
                "sluice.rules[2].limits=3 per 1h");
        assertThat(app.get("/filtered").statusCode()).isEqualTo(200);
        assertThat(app.get("/annotated").statusCode()).isEqualTo(200);
    }

    @AfterAll
    void stop() {
        app.close();
    }

    private static Optional<String> header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name);
    }

    @ParameterizedTest
    @CsvSource({"/filtered, filtered", "/annotated, annotated"})
    void itIsAPageForABrowserAndAProblemForOthers(String path, String rule) {
        HttpResponse<String> page = app.get(path, "Accept", BROWSER);
        assertThat(page.statusCode()).isEqualTo(503);
        assertThat(header(page, "Content-Type").map(type -> type.replace(" ", "")))
                .contains("text/html;charset=UTF-8");
        assertThat(page.body()).isEqualTo("<p>später: " + rule);
        assertThat(header(page, "Content-Length"))
                .contains(Integer.toString(page.body().getBytes(StandardCharsets.UTF_8).length));
        assertThat(header(page, "Retry-After")).isPresent();
        assertThat(header(page, "X-Seen")).contains("503 GET " + path + " " + rule + " 0");

        HttpResponse<String> problem = app.get(path, "Accept", "application/json");
        ExceptionContract.assertRefused(problem);
        assertThat(header(problem, "X-Seen")).contains("429 GET " + path + " " + rule + " 0");
    }

    /** Each of these is answered as a client that did not say what it prefers. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "*/*",
                "application/*, text/*",
                "text/html;q=0.1, */*",
                "text/html;q=0",
                "text/html;q=7",
                "text",
                "/",
                ";",
                ",,,,",
                "text/html; charset=nope",
                "a/b;c=d;c=d;",
                "\"text/html",
            })
    void whateverAClientAcceptsItGetsARefusal(String accept) {
        assertThat(app.get("/filtered", "Accept", accept).statusCode())
                .as(accept)
                .isIn(429, 503);
    }

    @Test
    void anEndlessAcceptIsReadAll() {
        String accept = "a/b, ".repeat(1000) + "text/html;q=0.5, application/json;q=0.4";
        assertThat(app.get("/filtered", "Accept", accept).statusCode()).isEqualTo(503);
        assertThat(app.get("/filtered", "Accept", "q/".repeat(2500)).statusCode())
                .isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "throws", "1000", "crlf"})
    void aCustomizerThatFailsIsPassedOver(String as, CapturedOutput output) {
        for (String path : List.of("/filtered", "/annotated")) {
            HttpResponse<String> refused = app.get(path, "As", as);
            ExceptionContract.assertRefused(refused);
            assertThat(header(refused, "X-Evil")).isEmpty();
            assertThat(header(refused, "Set-Cookie")).isEmpty();
            assertThat(header(refused, "X-Seen")).isPresent();
            assertThat(output).contains("a request that rule '" + path.substring(1) + "' denied");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/filtered", "/annotated"})
    void statusBodyAndHeadersAreTheApplications(String path) {
        HttpResponse<String> fine = app.get(path, "As", "200");
        assertThat(fine.statusCode()).isEqualTo(200);
        assertThat(fine.body()).isEqualTo("{}");
        assertThat(header(fine, "Cache-Control")).contains("no-store");

        HttpResponse<String> closed = app.get(path, "As", "503");
        assertThat(closed.statusCode()).isEqualTo(503);
        assertThat(header(closed, "Content-Type")).contains("application/problem+json");
        assertThat(closed.body()).contains("\"status\":503,").doesNotContain("429");
        assertThat(header(closed, "Content-Length"))
                .contains(Integer.toString(closed.body().getBytes(StandardCharsets.UTF_8).length));
        assertThat(app.get(path, "As", "own").body()).isEqualTo("{\"status\":1}");

        HttpResponse<String> empty = app.get(path, "As", "204");
        assertThat(empty.statusCode()).isEqualTo(204);
        assertThat(empty.body()).isEmpty();

        HttpResponse<String> headers = app.get(path, "As", "headers");
        assertThat(headers.statusCode()).isEqualTo(429);
        assertThat(header(headers, "X-Why")).contains("limits");
        assertThat(header(headers, "RateLimit-Policy")).isEmpty();
        assertThat(header(headers, "RateLimit")).isPresent();

        assertThat(app.get(path, "As", "huge").body()).isEqualTo(RefusalApp.HUGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/filtered", "/annotated"})
    void aHeadRequestGetsTheHeadersOnly(String path) {
        HttpResponse<String> refused = app.send("HEAD", path);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(header(refused, "Retry-After")).isPresent();
        assertThat(header(refused, "Content-Type")).isPresent();
        assertThat(refused.body()).isEmpty();
    }

    @Test
    void allowedCallsShowTheirLimits() {
        HttpResponse<String> first = app.get("/shown?key=a");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(header(first, "RateLimit-Policy"))
                .contains("\"all\";q=100;w=3600, \"wide\";q=10;w=3600, \"narrow\";q=5;w=3600");
        assertThat(header(first, "RateLimit"))
                .hasValueSatisfying(state -> assertThat(state)
                        .contains("\"all\";r=")
                        .contains("\"wide\";r=9")
                        .contains("\"narrow\";r=3"));
        assertThat(first.headers().allValues("RateLimit")).hasSize(1);
        assertThat(header(first, "Retry-After")).isEmpty();
        assertThat(header(first, "Cache-Control").orElse("")).doesNotContain("no-store, no-store");
    }

    @Test
    void aFallbackIsNoRefusal() {
        HttpResponse<String> instead = app.get("/instead?key=c");
        assertThat(instead.statusCode()).isEqualTo(200);
        assertThat(instead.body()).isEqualTo("instead");
        assertThat(header(instead, "Retry-After")).isEmpty();
        assertThat(header(instead, "RateLimit"))
                .hasValueSatisfying(state -> assertThat(state).startsWith("\"single\";r=0"));
    }

    /** The handler had begun when the annotation was asked. */
    @Test
    void aRuleAroundAnAnnotationStaysCharged() {
        for (String rule : List.of("narrow", "narrow", "narrow", "around")) {
            HttpResponse<String> refused = app.get("/wide-then-denied?key=d", "X-Around", "yes");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).contains("\"rule\":\"" + rule + "\"");
        }
    }

    @Test
    void aRefusalShowsTheCallsBefore() {
        HttpResponse<String> refused = app.get("/wide-then-denied?key=b");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(header(refused, "RateLimit-Policy")).contains("\"wide\";q=10;w=3600, \"narrow\";q=5;w=3600");
        assertThat(header(refused, "RateLimit"))
                .hasValueSatisfying(state -> assertThat(state).contains("\"wide\";r=9", "\"narrow\";r=0"));
        assertThat(refused.body()).contains("\"violated-policies\":[\"narrow\"]");
    }
}
