package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.RedisServer;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RunningApp;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Handler methods of WebFlux that return a value are limited in memory as on Redis. */
@Tag("full")
class BlockingHandlerTest {
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

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Api.class, Free.class, Limited.class, OpenSecurity.Flux.class})
    static class App {}

    /** Two controllers of which one has a limit inherit one method. */
    abstract static class Inherited {
        @GetMapping("/inherited")
        public String inherited() {
            return "inherited";
        }
    }

    @RestController
    @RequestMapping("/a-free")
    static class Free extends Inherited {}

    @RestController
    @RequestMapping("/limited")
    @RateLimit(value = "2 per 1h", name = "${test.name}-limited")
    static class Limited extends Inherited {}

    @RestController
    static class Api {
        @GetMapping("/text")
        @RateLimit(value = "2 per 1h", key = "#who", name = "${test.name}-text")
        public String text(@RequestParam("who") String who) {
            return "text for " + who;
        }

        @PostMapping("/body")
        @RateLimit(value = "2 per 1h", key = "#body", name = "${test.name}-body")
        public String body(@RequestBody String body) {
            return "got " + body;
        }

        @GetMapping("/waiting")
        @RateLimit(value = "1 per 100ms", waitUpTo = "10s", name = "${test.name}-waiting")
        public String waiting() {
            return "waited";
        }

        @GetMapping("/failing")
        @RateLimit(value = "2 per 1h", name = "${test.name}-failing")
        public String failing() {
            throw new UnsupportedOperationException("no");
        }

        @GetMapping("/free")
        public String free() {
            return Schedulers.isInNonBlockingThread() ? "event loop" : "elsewhere";
        }

        @ExceptionHandler
        ResponseEntity<String> failed(UnsupportedOperationException e) {
            return ResponseEntity.status(418).body("failed");
        }
    }

    private static String[] properties(String store) {
        return new String[] {
            "test.name=" + store,
            "sluice.redis.timeout=2s",
            "sluice.store=" + (store.startsWith("memory") ? "memory" : redis.url())
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void aMethodThatReturnsAValueIsLimited(String store) {
        try (RunningApp app = RunningApp.start(WebApplicationType.REACTIVE, List.of(App.class), properties(store))) {
            assertThat(app.get("/text?who=ann").body()).isEqualTo("text for ann");
            assertThat(app.statuses(2, "GET", "/text?who=ann")).containsExactly(200, 429);
            assertThat(app.get("/text?who=bob").statusCode()).isEqualTo(200);
            assertThat(List.of(post(app, "ann"), post(app, "ann"), post(app, "ann"), post(app, "bob")))
                    .containsExactly(200, 200, 429, 200);
            assertThat(app.statuses(4, "GET", "/waiting")).containsExactly(200, 200, 200, 200);
            assertThat(app.statuses(3, "GET", "/failing")).containsExactly(418, 418, 429);
            assertThat(app.get("/free").body()).isEqualTo("event loop");
            assertThat(app.statuses(3, "GET", "/a-free/inherited")).containsExactly(200, 200, 200);
            assertThat(app.statuses(3, "GET", "/limited/inherited")).containsExactly(200, 200, 429);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void itsLimitIsShown(String store) {
        try (RunningApp app =
                RunningApp.start(WebApplicationType.REACTIVE, List.of(App.class), properties(store + "-shown"))) {
            assertThat(app.get("/text?who=ann").headers().firstValue("RateLimit-Policy"))
                    .contains("\"" + store + "-shown-text\";q=2;w=3600");
            assertThat(app.get("/text?who=ann").headers().firstValue("RateLimit"))
                    .hasValueSatisfying(left -> assertThat(left).startsWith("\"" + store + "-shown-text\";r=0;"));
            assertThat(app.get("/free").headers().firstValue("RateLimit")).isEmpty();
        }
    }

    private static int post(RunningApp app, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(app.url("/body")))
                .header("Content-Type", "text/plain")
                .timeout(Duration.ofSeconds(30))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient()
                .sendAsync(request, HttpResponse.BodyHandlers.discarding())
                .join()
                .statusCode();
    }

    @RestController
    static class ByUser {
        @GetMapping("/mine")
        @RateLimit(value = "2 per 1h", key = "#principal.name")
        public String mine() {
            return "mine";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ByUser.class, OpenSecurity.Flux.class})
    static class ByUserApp {}

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void aKeyThatSuchAMethodCannotSeeIsRefusedAtStart(String store) {
        assertThatThrownBy(
                        () -> RunningApp.start(WebApplicationType.REACTIVE, List.of(ByUserApp.class), properties(store))
                                .close())
                .satisfies(failure -> assertThat(WrongAnnotationTest.cause(failure))
                        .isInstanceOf(RateLimitConfigurationException.class)
                        .hasMessageContaining(
                                "@RateLimit on ByUser.mine(): on WebFlux a method that returns a String"));
    }

    static class Service {
        @RateLimit("2 per 1h")
        public String value() {
            return "value";
        }
    }

    @Test
    void onAnEventLoopABlockingMethodFailsInMemoryAsOnRedis() {
        Contexts.of(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(Mono.fromCallable(service::value)
                            .subscribeOn(Schedulers.parallel())
                            .onErrorResume(e -> Mono.just(String.valueOf(e.getMessage())))
                            .block())
                    .contains("Service.value()", "must not block", "let it return a Mono");
            assertThat(service.value()).isEqualTo("value");
        });
    }
}
