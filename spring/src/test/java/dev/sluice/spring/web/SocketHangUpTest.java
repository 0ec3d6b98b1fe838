package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.rules.Request;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.RunningApp;
import dev.sluice.spring.WebServer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Clients that hang up at any moment, over the network, leave nothing taken: no permits, no places, nobody who waits. */
@Tag("full")
class SocketHangUpTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int CLIENTS = 8;
    private static final int PLACES = 3;
    private static final int REQUESTS = 30;
    private static final List<String> TARGETS = List.of(
            "GET /held",
            "GET /waits",
            "GET /queue",
            "POST /login",
            "GET /mono",
            "GET /flux",
            "GET /future",
            "GET /fails",
            "GET /zip",
            "GET /service-flux");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Api.class, Limited.class})
    static class App {}

    static class Limited {
        @RateLimit(value = "2 at once", name = "one", waitUpTo = "100ms")
        public Mono<String> one() {
            return Mono.delay(Duration.ofMillis(3)).thenReturn("one");
        }

        @RateLimit(value = "2 at once", name = "other")
        public Mono<String> other() {
            return Mono.delay(Duration.ofMillis(5)).thenReturn("other");
        }

        @RateLimit(value = "3 at once", name = "numbers")
        public Flux<Integer> numbers() {
            return Flux.range(0, 20).delayElements(Duration.ofMillis(1));
        }
    }

    @RestController
    static class Api {
        private final Limited limited;

        Api(Limited limited) {
            this.limited = limited;
        }

        @GetMapping({"/held", "/waits", "/queue"})
        Mono<String> held() {
            return Mono.delay(Duration.ofMillis(5)).thenReturn("held");
        }

        @PostMapping("/login")
        Mono<ResponseEntity<String>> login() {
            return Mono.delay(Duration.ofMillis(5))
                    .thenReturn(ResponseEntity.status(401).body("wrong"));
        }

        @GetMapping("/mono")
        @RateLimit(value = "3 at once", name = "mono", waitUpTo = "100ms")
        public Mono<String> mono() {
            return Mono.delay(Duration.ofMillis(5)).thenReturn("mono");
        }

        @GetMapping(path = "/flux", produces = MediaType.APPLICATION_NDJSON_VALUE)
        @RateLimit(value = "3 at once", name = "flux")
        public Flux<Integer> flux() {
            return Flux.range(0, 20).delayElements(Duration.ofMillis(1));
        }

        @GetMapping(path = "/service-flux", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<Integer> serviceFlux() {
            return limited.numbers().map(number -> number + 1);
        }

        @GetMapping("/future")
        @RateLimit(value = "3 at once", name = "future", waitUpTo = "100ms")
        public CompletableFuture<String> future() {
            return CompletableFuture.supplyAsync(
                    () -> "future", CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS));
        }

        @GetMapping("/fails")
        @RateLimit(value = "3 at once", name = "fails")
        public Mono<String> fails() {
            return Mono.delay(Duration.ofMillis(3)).then(Mono.error(new IllegalArgumentException("on purpose")));
        }

        @GetMapping("/zip")
        Mono<String> zip() {
            return Mono.zip(limited.one(), limited.other())
                    .timeout(Duration.ofMillis(5))
                    .retry(1)
                    .map(both -> "both")
                    .onErrorReturn("failed");
        }
    }

    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static RunningApp app(Stack stack, WebServer server, String store) {
        return stack.startOn(
                server,
                List.of(App.class),
                "sluice.store=" + store,
                "sluice.redis.prefix=" + stack,
                "sluice.redis.timeout=20s",
                "sluice.filter.under-way=" + PLACES,
                "sluice.filter.under-way-wait=100ms",
                "sluice.rules[0].name=held",
                "sluice.rules[0].when.path=/held",
                "sluice.rules[0].limits[0]=3 at once",
                "sluice.rules[1].name=waits",
                "sluice.rules[1].when.path=/waits",
                "sluice.rules[1].limits[0]=3 at once",
                "sluice.rules[1].on-exceed=wait up to 50ms",
                "sluice.rules[2].name=queue",
                "sluice.rules[2].when.path=/queue",
                "sluice.rules[2].limits[0]=100 per 1s leaky-bucket capacity=10 queue",
                "sluice.rules[3].name=queue-held",
                "sluice.rules[3].when.path=/queue",
                "sluice.rules[3].limits[0]=20 at once",
                "sluice.rules[4].name=login",
                "sluice.rules[4].when.path=/login",
                "sluice.rules[4].when.status=401",
                "sluice.rules[4].limits[0]=1000 per 1h sliding-log",
                "sluice.rules[5].name=login-held",
                "sluice.rules[5].when.path=/login",
                "sluice.rules[5].limits[0]=20 at once");
    }

    private static void send(String url, String target, Random random) {
        URI to = URI.create(url);
        try (Socket socket = new Socket(to.getHost(), to.getPort())) {
            socket.setTcpNoDelay(true);
            byte[] request = (target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
            socket.getOutputStream().write(request);
            socket.getOutputStream().flush();
            Thread.sleep(random.nextInt(15));
            switch (random.nextInt(4)) {
                case 0 -> socket.setSoLinger(true, 0); // a reset
                case 1 -> {
                    socket.shutdownOutput();
                    Thread.sleep(random.nextInt(10));
                }
                case 2 -> {
                    socket.setSoTimeout(5000);
                    socket.getInputStream().read();
                }
                default -> {}
            }
        } catch (IOException | InterruptedException e) {
            // whatever the server did with it
        }
    }

    private static Decision state(RunningApp app, String rule) {
        RuleEngine engine = app.bean(RuleRegistry.class).engine();
        return Objects.requireNonNull(engine.inspect(rule, "").join()).decision();
    }

    private static double active(RunningApp app) {
        return app.bean(MeterRegistry.class).find("sluice.limited.active").gauges().stream()
                .mapToDouble(Gauge::value)
                .sum();
    }

    @ParameterizedTest
    @CsvSource({
        "SERVLET, TOMCAT, memory",
        "SERVLET, TOMCAT, redis",
        "SERVLET, JETTY, memory",
        "SERVLET, UNDERTOW, memory",
        "WEBFLUX, NETTY, memory",
        "WEBFLUX, NETTY, redis",
        "WEBFLUX, TOMCAT, memory",
        "WEBFLUX, JETTY, memory",
        "WEBFLUX, UNDERTOW, memory"
    })
    void nothingStaysTaken(Stack stack, WebServer server, String store) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try (RunningApp app = app(stack, server, store.equals("redis") ? redis.url() : store)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(i);
                all.add(clients.submit(() -> {
                    for (int j = 0; j < REQUESTS; j++) {
                        send(app.url(""), TARGETS.get(random.nextInt(TARGETS.size())), random);
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get(5, TimeUnit.MINUTES);
            }
            for (String rule : List.of(
                    "held",
                    "waits",
                    "queue-held",
                    "login-held",
                    "mono",
                    "flux",
                    "future",
                    "fails",
                    "one",
                    "other",
                    "numbers")) {
                Eventually.holds(
                        rule + " is free",
                        SOON,
                        () -> state(app, rule).remaining() == state(app, rule).limit());
            }
            Eventually.holds("nobody is active", SOON, () -> active(app) == 0);
            assertThat(app.bean(RuleRegistry.class).engine().waiting()).isZero();
            placesAreFree(app.bean(RuleRegistry.class).engine());
        } finally {
            clients.shutdownNow();
        }
    }

    private static void placesAreFree(RuleEngine engine) {
        Request login = Request.of(Map.of("path", "/login", "caller", "web"), 1);
        for (int i = 0; i < PLACES; i++) {
            assertThat(engine.begin(login, everyRule -> true).join().allowed()).isTrue();
        }
    }
}
