package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.RunningApp;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A rule about wrong passwords, on both stacks and in both stores. Each test comes from an address of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WrongPasswordsContract {
    private static final int LIMIT = 3;
    private static final int UNDER_WAY = 10;

    static final List<String> PATHS = List.of("/login", "/login/now", "/login/empty", "/login/throws", "/login/fails");
    private static final Duration SOON = Duration.ofMinutes(1);

    private final Stack stack;
    private RunningApp app;

    @SuppressWarnings("NullAway.Init")
    WrongPasswordsContract(Stack stack) {
        this.stack = stack;
    }

    /** The URL of the store, or {@code memory}. */
    abstract String store();

    /** Another application that shares the store; the same one where that is memory. */
    RunningApp other() {
        return app;
    }

    static String[] properties(String store) {
        return new String[] {
            "sluice.store=" + store,
            "sluice.redis.timeout=5s",
            "sluice.trusted-proxies=127.0.0.1",
            "sluice.filter.under-way-wait=30s", // a busy machine is slower than the people who wait for it
            "sluice.rules[0].name=wrong-passwords",
            "sluice.rules[0].when.path=/login/**",
            "sluice.rules[0].when.status=401",
            "sluice.rules[0].key=ip",
            "sluice.rules[0].limits=" + LIMIT + " per 10m sliding-log",
            "sluice.rules[1].name=crashes",
            "sluice.rules[1].when.path=/login/**",
            "sluice.rules[1].when.status=500",
            "sluice.rules[1].key=ip",
            "sluice.rules[1].limits=1 per 10m sliding-log"
        };
    }

    RunningApp start() {
        return stack.start(List.of(LoginApp.class), properties(store()));
    }

    @BeforeAll
    void startApp() {
        app = start();
    }

    @AfterAll
    void stopApp() {
        if (app != null) { // without such a server on the class path
            app.close();
        }
    }

    private int login(String path, String ip) {
        return app.send("POST", path, "X-Forwarded-For", ip).statusCode();
    }

    /** How often each status came when so many requests were sent at once, by turns to each of the applications. */
    private static Map<Integer, Long> atOnce(int count, String path, String ip, RunningApp... apps) {
        HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        List<CompletableFuture<HttpResponse<Void>>> all = IntStream.range(0, count)
                .mapToObj(i -> HttpRequest.newBuilder(URI.create(apps[i % apps.length].url(path)))
                        .timeout(Duration.ofMinutes(2))
                        .header("X-Forwarded-For", ip)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build())
                .map(request -> http.sendAsync(request, HttpResponse.BodyHandlers.discarding()))
                .toList();
        return all.stream()
                .map(response ->
                        response.orTimeout(150, TimeUnit.SECONDS).join().statusCode())
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    private int arrivals(RunningApp... apps) {
        return List.of(apps).stream()
                .distinct()
                .mapToInt(each -> each.bean(LoginApp.Arrivals.class).count())
                .sum();
    }

    /** The office. */
    @Test
    void twoHundredRightLoginsAtOnceAllSucceed() {
        assertThat(atOnce(200, "/login?ok=true", "203.0.113.1", app, other())).containsOnly(Map.entry(200, 200L));
    }

    /** The attack. */
    @Test
    void ofAThousandWrongOnesAtOnceAFewReachThePasswordCheck() {
        int before = arrivals(app, other());
        Map<Integer, Long> statuses = atOnce(1000, "/login?ok=false", "203.0.113.2", app, other());
        int reached = arrivals(app, other()) - before;
        assertThat(reached).isBetween(LIMIT, LIMIT + UNDER_WAY);
        assertThat(statuses).isEqualTo(Map.of(401, (long) reached, 429, 1000L - reached));
        assertThat(login("/login?ok=true", "203.0.113.2")).isEqualTo(429);
        assertThat(arrivals(app, other()) - before).isEqualTo(reached);
        assertThat(login("/login?ok=true", "203.0.113.3")).isEqualTo(200);
    }

    /** However the application says that a password is wrong. */
    @ParameterizedTest
    @FieldSource("PATHS")
    void eachWrongOneIsCountedWhenItsAnswerIsThere(String path) {
        String ip = "203.0.114." + PATHS.indexOf(path);
        for (int i = 0; i < 5; i++) {
            assertThat(login(path + "?ok=true", ip)).isEqualTo(200);
        }
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < LIMIT + 2; i++) {
            statuses.add(login(path + "?ok=false", ip));
        }
        assertThat(statuses).containsExactly(401, 401, 401, 429, 429);
        assertThat(login(path + "?ok=true", ip)).isEqualTo(429);
    }

    @Test
    void aRequestThatBreaksHasTheStatusThatItIsAnsweredWith() {
        assertThat(login("/login/breaks", "203.0.113.4")).isEqualTo(500);
        assertThat(login("/login/breaks", "203.0.113.4")).isEqualTo(429);
    }

    @Test
    void rulesMayBeReplacedWhileRequestsAreUnderWay() {
        int before = arrivals(app);
        List<CompletableFuture<Integer>> slow = IntStream.range(0, LIMIT)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> login("/login?ok=false&ms=1000", "203.0.113.7")))
                .toList();
        Eventually.holds("they are under way", SOON, () -> arrivals(app) - before == LIMIT);
        RuleRegistry rules = app.bean(RuleRegistry.class);
        rules.replace(rules.configured());
        assertThat(slow).allSatisfy(each -> assertThat(each.join()).isEqualTo(401));
        assertThat(login("/login?ok=true", "203.0.113.7")).isEqualTo(429);
    }

    /** Nobody learns more by not waiting for the answer, and nothing stays taken. */
    @Test
    void whoHangsUpIsCountedAndLeavesItsPlace() throws IOException {
        int before = arrivals(app);
        int wrongBefore = app.bean(LoginApp.Arrivals.class).wrong();
        List<Socket> open = new ArrayList<>();
        for (int i = 0; i < 3 * UNDER_WAY; i++) {
            open.add(RawHttp.send(app.url(""), "POST", "/login?ok=false&ms=2000", "X-Forwarded-For", "203.0.113.5"));
        }
        Eventually.holds("all places are taken", SOON, () -> arrivals(app) - before == UNDER_WAY);
        for (Socket socket : open) {
            socket.close();
        }
        Eventually.holds("the address is refused", SOON, () -> login("/login?ok=true", "203.0.113.5") == 429);
        assertThat(app.bean(LoginApp.Arrivals.class).wrong() - wrongBefore).isLessThanOrEqualTo(LIMIT + UNDER_WAY);
    }

    /** Right logins that are given up do not fill the places for ever. */
    @Test
    void whoHangsUpWhileItWaitsLeavesTheQueue() throws IOException {
        int before = arrivals(app);
        List<Socket> first = new ArrayList<>();
        for (int i = 0; i < UNDER_WAY; i++) {
            first.add(RawHttp.send(app.url(""), "POST", "/login?ok=true&ms=1500", "X-Forwarded-For", "203.0.113.6"));
        }
        Eventually.holds("all places are taken", SOON, () -> arrivals(app) - before == UNDER_WAY);
        for (int i = 0; i < UNDER_WAY; i++) {
            RawHttp.send(app.url(""), "POST", "/login?ok=true", "X-Forwarded-For", "203.0.113.6")
                    .close();
        }
        assertThat(login("/login?ok=true", "203.0.113.6")).isEqualTo(200);
        for (Socket socket : first) {
            socket.close();
        }
    }
}
