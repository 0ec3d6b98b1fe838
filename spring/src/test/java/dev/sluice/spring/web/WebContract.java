package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.spring.RunningApp;
import dev.sluice.spring.Sightings;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;

/**
 * What filters do, whichever they are. Each test comes from an address of its own. Windows are hours long: on a busy machine
 * a few requests may take longer than a minute.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WebContract {
    private final WebApplicationType type;
    private final List<Class<?>> classes;
    private RunningApp app;

    @SuppressWarnings("NullAway.Init")
    WebContract(WebApplicationType type, Class<?>... classes) {
        this.type = type;
        this.classes = List.of(classes);
    }

    @BeforeAll
    void start() {
        app = RunningApp.start(
                type,
                classes,
                "sluice.store=memory",
                "sluice.rules=classpath:web-rules.yaml",
                "sluice.filter.exclude=/free/**");
    }

    @AfterAll
    void stop() {
        app.close();
    }

    private static String[] from(String ip, String... more) {
        return Stream.concat(Stream.of("X-Forwarded-For", ip), Stream.of(more)).toArray(String[]::new);
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void overTheLimitIs429WithAllThatTheClientNeeds() {
        String[] headers = from("203.0.113.1");
        HttpResponse<String> first = app.get("/hello", headers);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isEqualTo("hello");
        assertThat(first.headers().firstValue("RateLimit-Policy")).contains("\"hello-per-ip\";q=3;w=3600");
        assertThat(first.headers().firstValue("RateLimit")).contains("\"hello-per-ip\";r=2;t=3600");
        assertThat(app.statuses(3, "GET", "/hello", headers)).containsExactly(200, 200, 429);

        HttpResponse<String> denied = app.get("/hello", headers);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
        assertThat(denied.headers().firstValue("Retry-After"))
                .hasValueSatisfying(
                        seconds -> assertThat(Integer.parseInt(seconds)).isBetween(1, 3600));
        assertThat(denied.headers().firstValue("RateLimit"))
                .hasValueSatisfying(state -> assertThat(state).startsWith("\"hello-per-ip\";r=0;t="));
        assertThat(denied.body())
                .contains("http-problem-types#quota-exceeded")
                .contains("\"status\":429")
                .contains("\"violated-policies\":[\"hello-per-ip\"]")
                .contains("\"rule\":\"hello-per-ip\"");
    }

    @Test
    void anotherAddressIsCountedApartAndAForgedOneIsNot() {
        assertThat(app.statuses(4, "GET", "/hello", from("203.0.113.2"))).containsExactly(200, 200, 200, 429);
        assertThat(app.get("/hello", from("203.0.113.3")).statusCode()).isEqualTo(200);
        assertThat(app.get("/hello", from("198.51.100.1, 203.0.113.2")).statusCode())
                .isEqualTo(429);
    }

    /** What Spring Security answers comes from another thread; what the filter refuses, from the connection's own. */
    @Test
    void refusalsBetweenAnswersOfOtherThreadsAreAllAnswered() {
        String[] headers = from("203.0.113.16", "Authorization", basic("ann").replaceAll(".{4}$", "AAAA"));
        app.statuses(3, "GET", "/hourly", headers);
        for (int i = 0; i < 200; i++) {
            assertThat(app.get("/free/hello", headers).statusCode()).isEqualTo(401);
            assertThat(app.get("/hourly", headers).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void excludedPathsAreNotAsked() {
        HttpResponse<String> answer = app.get("/free/hello", from("203.0.113.4"));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("RateLimit")).isEmpty();
    }

    /** Whichever way a path is written, and wherever it seems to lead. */
    @Test
    void noSpellingOfAPathGetsPastARule() {
        String[] headers = from("203.0.113.60");
        assertThat(app.statuses(4, "GET", "/hello", headers)).containsExactly(200, 200, 200, 429);
        for (String path : List.of("/hello;x=1", "/free/..;/hello", "/hello/")) {
            assertThat(app.get(path, headers).statusCode()).as(path).isEqualTo(429);
        }
    }

    @Test
    void onlyFailedLoginsCount() {
        String[] headers = from("203.0.113.5");
        assertThat(app.statuses(5, "POST", "/login?ok=true", headers)).containsOnly(200);
        assertThat(app.statuses(3, "POST", "/login?ok=false", headers)).containsExactly(401, 401, 429);
        assertThat(app.send("POST", "/login?ok=true", headers).statusCode()).isEqualTo(429);
    }

    @Test
    void theUserIsWhoSpringSecuritySays() {
        String[] ann = from("203.0.113.6", "Authorization", basic("ann"));
        assertThat(app.statuses(3, "GET", "/orders", ann)).containsExactly(200, 200, 429);
        String[] bob = from("203.0.113.6", "Authorization", basic("bob"));
        assertThat(app.get("/orders", bob).statusCode()).isEqualTo(200);
        assertThat(app.get("/orders", from("203.0.113.6")).statusCode()).isEqualTo(200);
    }

    /**
     * The rule by ip, ahead of Spring Security, allows 5; that by user, behind it, allows 2. A third one has ten places for
     * requests that are under way.
     */
    @Test
    void whatIsDeniedBehindSpringSecurityTakesNothingAheadOfIt() {
        String[] headers = from("203.0.113.7", "Authorization", basic("carol"));
        assertThat(app.statuses(20, "GET", "/orders", headers))
                .filteredOn(status -> status == 200)
                .hasSize(2);
        HttpResponse<String> other = app.get("/orders", from("203.0.113.7"));
        assertThat(other.headers().firstValue("RateLimit"))
                .hasValueSatisfying(state -> assertThat(state).startsWith("\"orders-per-ip\";r=2;"));
    }

    @Test
    void wrongPasswordsAreCountedAheadOfSpringSecurity() {
        String[] headers = from("203.0.113.8", "Authorization", basic("ann").replaceAll(".{4}$", "AAAA"));
        assertThat(app.statuses(7, "GET", "/orders", headers)).containsExactly(401, 401, 401, 401, 401, 429, 429);
    }

    @Test
    void soManyAtOnceAndTheOthersWait() throws Exception {
        CountDownLatch arrived = WebApp.expect(2);
        List<CompletableFuture<Integer>> calls = Stream.generate(() -> CompletableFuture.supplyAsync(
                        () -> app.get("/report", from("203.0.113.9")).statusCode()))
                .limit(2)
                .toList();
        assertThat(arrived.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(app.get("/report", from("203.0.113.9")).statusCode()).isEqualTo(429);
        CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(
                () -> app.get("/patient-report", from("203.0.113.9")).statusCode());
        WebApp.letGo();
        assertThat(calls)
                .allSatisfy(call -> assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo(200));
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo(200);
    }

    @Test
    void degradedRequestsGoOnAndKnowIt() {
        String[] headers = from("203.0.113.10");
        assertThat(app.get("/search", headers).body()).isEqualTo("full");
        HttpResponse<String> degraded = app.get("/search", headers);
        assertThat(degraded.statusCode()).isEqualTo(200);
        assertThat(degraded.body()).isEqualTo("short");
        assertThat(degraded.headers().firstValue("Sluice-Degraded")).contains("?1");
    }

    @Test
    void observationsOfRequestsTellOfRefusals() {
        assertThat(app.statuses(4, "GET", "/hello", from("203.0.113.17"))).containsExactly(200, 200, 200, 429);
        app.statuses(2, "GET", "/search", from("203.0.113.17"));
        app.statuses(2, "GET", "/by-rule", from("203.0.113.17"));
        app.bean(Sightings.class).await("denied hello-per-ip", "degraded search", "denied never-by-itself");
        assertThat(app.bean(MeterRegistry.class).getMeters())
                .extracting(meter -> meter.getId().getName())
                .contains("http.server.requests")
                .noneMatch(name -> name.contains("requests.sluice"));
    }

    /** Response time, errors and concurrency of the requests that go ahead under a rule. */
    @Test
    void limitedRequestsHaveFigures() throws Exception {
        String[] headers = from("203.0.113.18");
        assertThat(app.get("/figures/well", headers).statusCode()).isEqualTo(200);
        figures(1, 0);
        assertThat(app.get("/figures/fails", headers).statusCode()).isEqualTo(500);
        figures(1, 1);
        assertThat(app.get("/figures/missing", headers).statusCode()).isEqualTo(404);
        figures(2, 1);
        assertThat(app.get("/figures/status", headers).statusCode()).isEqualTo(502);
        figures(2, 2);
        CountDownLatch arrived = WebApp.expect(1);
        CompletableFuture<Integer> slow = CompletableFuture.supplyAsync(
                () -> app.get("/figures/slow", headers).statusCode());
        assertThat(arrived.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(active()).isEqualTo(1);
        WebApp.letGo();
        assertThat(slow.get(10, TimeUnit.SECONDS)).isEqualTo(200);
        figures(3, 2);
    }

    /** How many requests have ended: a client may have a response a moment before its end is noted. */
    private void figures(long success, long error) {
        Eventually.holds(
                success + " successes and " + error + " errors",
                Duration.ofSeconds(10),
                () -> ended("figures", "success") == success
                        && ended("figures", "error") == error
                        && ended("figures-by-status", "success") == success
                        && ended("figures-by-status", "error") == error
                        && active() == 0);
    }

    private long ended(String rule, String result) {
        return app.bean(MeterRegistry.class)
                .get("sluice.limited.calls")
                .tags("kind", "request", "rule", rule, "result", result)
                .timer()
                .count();
    }

    private double active() {
        return app.bean(MeterRegistry.class)
                .get("sluice.limited.active")
                .tags("kind", "request", "rule", "figures")
                .gauge()
                .value();
    }

    @Test
    void anExceptionOfTheAnnotationIsTheSame429() {
        assertThat(app.statuses(2, "GET", "/annotated", from("203.0.113.11"))).containsExactly(200, 200);
        HttpResponse<String> denied = app.get("/annotated", from("203.0.113.11"));
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Retry-After")).isPresent();
        assertThat(denied.body()).contains("\"rule\":\"Api.annotated\"");
    }

    @Test
    void theAnnotationKnowsThePrincipalAndTheRequest() {
        String[] dave = from("203.0.113.12", "Authorization", basic("dave"));
        assertThat(app.statuses(2, "GET", "/mine", dave)).containsExactly(200, 429);
        String[] erin = from("203.0.113.12", "Authorization", basic("erin"));
        assertThat(app.statuses(2, "GET", "/mine", erin)).containsExactly(200, 429);
        assertThat(app.statuses(2, "GET", "/by-rule", from("203.0.113.13"))).containsExactly(200, 429);
        assertThat(app.statuses(2, "GET", "/by-rule", from("203.0.113.14"))).containsExactly(200, 429);
    }
}
