package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.RunningApp;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Many requests that wait, and few threads: those of a handler that returns a future wait without one. */
@Tag("slow")
class WaitingThreadsTest {
    private static final int CLIENTS = 20;
    private static final Duration SOON = Duration.ofSeconds(30);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Reports.class)
    static class App {}

    @RestController
    static class Reports {
        private final CompletableFuture<String> result = new CompletableFuture<>();

        @GetMapping("/report")
        @RateLimit(rule = "reports")
        public CompletableFuture<String> report() {
            return result;
        }

        @GetMapping("/report-mono")
        @RateLimit(rule = "reports")
        public Mono<String> reportAsMono() {
            return Mono.fromFuture(result, true);
        }

        public void complete() {
            result.complete("report");
        }

        @GetMapping("/free")
        String free() {
            return "free";
        }
    }

    private static RunningApp app() {
        return Stack.SERVLET.start(
                List.of(App.class),
                "server.tomcat.threads.max=4",
                "server.tomcat.threads.min-spare=1",
                "sluice.rules[0].name=reports",
                "sluice.rules[0].when.caller=method",
                "sluice.rules[0].limits[0]=1 at once",
                "sluice.rules[0].on-exceed=wait up to 1m");
    }

    private static void waiting(RunningApp app, int count) {
        Eventually.holds(
                count + " wait",
                SOON,
                () -> app.bean(RuleRegistry.class).engine().waiting() == count);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/report", "/report-mono"})
    void othersAreServedMeanwhile(String path) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try (RunningApp app = app()) {
            List<CompletableFuture<Integer>> reports = Stream.generate(() ->
                            CompletableFuture.supplyAsync(() -> app.get(path).statusCode(), clients))
                    .limit(CLIENTS)
                    .toList();
            waiting(app, CLIENTS - 1);
            assertThat(app.statuses(5, "GET", "/free")).containsOnly(200);
            app.bean(Reports.class).complete();
            for (CompletableFuture<Integer> each : reports) {
                assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo(200);
            }
        } finally {
            clients.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/report", "/report-mono"})
    void whoHangsUpKeepsNothing(String path) throws Exception {
        try (RunningApp app = app()) {
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(RawHttp.send(app.url(""), "GET", path));
            }
            waiting(app, CLIENTS - 1);
            for (Socket each : clients) {
                each.close();
            }
            app.bean(Reports.class).complete();
            waiting(app, 0);
            assertThat(app.get(path).statusCode()).isEqualTo(200);
        }
    }
}
