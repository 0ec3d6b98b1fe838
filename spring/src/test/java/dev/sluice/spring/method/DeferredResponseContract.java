package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RunningApp;
import dev.sluice.spring.WebServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.InputStreamResource;
import org.springframework.core.io.Resource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** A concurrency limit on handler methods that return something for Spring MVC to work on later. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DeferredResponseContract {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static volatile CountDownLatch arrived = new CountDownLatch(0);
    private static volatile CompletableFuture<Void> gate = new CompletableFuture<>();

    private final WebServer server;
    private RunningApp app;

    @SuppressWarnings("NullAway.Init")
    DeferredResponseContract(WebServer server) {
        this.server = server;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Api.class, OpenSecurity.Servlet.class})
    static class App {}

    @RestController
    static class Api {
        private static String work() {
            arrived.countDown();
            gate.orTimeout(20, TimeUnit.SECONDS).join();
            return "done";
        }

        @GetMapping("/callable")
        @RateLimit("1 at once")
        public Callable<String> callable() {
            return Api::work;
        }

        @GetMapping("/task")
        @RateLimit("1 at once")
        public WebAsyncTask<String> task() {
            return new WebAsyncTask<>(10_000L, Api::work);
        }

        @GetMapping("/deferred")
        @RateLimit("1 at once")
        public DeferredResult<String> deferred() {
            DeferredResult<String> result = new DeferredResult<>(10_000L);
            arrived.countDown();
            gate.whenComplete((done, failure) -> result.setResult("done"));
            return result;
        }

        @GetMapping("/streaming")
        @RateLimit("1 at once")
        public StreamingResponseBody streaming() {
            return out -> out.write(work().getBytes(StandardCharsets.UTF_8));
        }

        @GetMapping("/entity")
        @RateLimit("1 at once")
        public ResponseEntity<StreamingResponseBody> entity() {
            return ResponseEntity.ok(out -> out.write(work().getBytes(StandardCharsets.UTF_8)));
        }

        @GetMapping("/object")
        @RateLimit("1 at once")
        public Object object() {
            return (Callable<String>) Api::work;
        }

        @GetMapping("/emitter")
        @RateLimit("1 at once")
        public ResponseBodyEmitter emitter() {
            return emitting(new ResponseBodyEmitter(10_000L));
        }

        @GetMapping("/sse")
        @RateLimit("1 at once")
        public SseEmitter sse() {
            return emitting(new SseEmitter(10_000L));
        }

        /** Has a lot to send when it begins. */
        @GetMapping("/early")
        @RateLimit("1 at once")
        public ResponseBodyEmitter early() throws IOException {
            work();
            ResponseBodyEmitter emitter = new ResponseBodyEmitter(10_000L);
            for (int i = 0; i < 64; i++) {
                emitter.send("x".repeat(1 << 16));
            }
            emitter.complete();
            return emitter;
        }

        private static <T extends ResponseBodyEmitter> T emitting(T emitter) {
            arrived.countDown();
            gate.whenComplete((done, failure) -> {
                try {
                    emitter.send("done");
                    emitter.complete();
                } catch (IOException e) {
                    emitter.completeWithError(e);
                }
            });
            return emitter;
        }

        @GetMapping("/late")
        @RateLimit("1 at once")
        public DeferredResult<String> late() {
            return new DeferredResult<>(100L);
        }

        @GetMapping("/broken/stream")
        @RateLimit("1 at once")
        public StreamingResponseBody brokenStream() {
            return out -> {
                out.write('1');
                out.flush();
                throw new IllegalStateException("the test wants it so");
            };
        }

        @GetMapping("/broken/emitter")
        @RateLimit("1 at once")
        public SseEmitter brokenEmitter() throws IOException {
            SseEmitter emitter = new SseEmitter(10_000L);
            emitter.send("1");
            emitter.completeWithError(new IllegalStateException("the test wants it so"));
            return emitter;
        }

        @GetMapping("/broken/file")
        @RateLimit("1 at once")
        public Callable<Resource> brokenFile() {
            return () -> new InputStreamResource(new InputStream() {
                private int left = 1 << 20;

                @Override
                public int read() {
                    return read(new byte[1], 0, 1);
                }

                @Override
                public int read(byte[] bytes, int from, int count) {
                    if (left <= 0) {
                        throw new IllegalStateException("the test wants it so");
                    }
                    left -= count;
                    return count;
                }
            });
        }

        @GetMapping("/failing")
        @RateLimit("1 at once")
        public Callable<String> failing() {
            return () -> {
                throw new IllegalStateException("no");
            };
        }
    }

    @BeforeAll
    void start() {
        assumeThat(server.isPresent(WebApplicationType.SERVLET)).isTrue();
        app = RunningApp.start(
                server,
                WebApplicationType.SERVLET,
                List.of(App.class),
                "sluice.store=memory",
                "server.shutdown=immediate",
                "sluice.rules[0].name=early",
                "sluice.rules[0].when.path=/early",
                "sluice.rules[0].limits[0]=1 at once",
                "sluice.rules[1].name=broken",
                "sluice.rules[1].when.path=/broken/**",
                "sluice.rules[1].limits[0]=1 at once",
                "sluice.rules[2].name=broken-by-status",
                "sluice.rules[2].when.path=/broken/**",
                "sluice.rules[2].when.status=5*",
                "sluice.rules[2].limits[0]=100 per 1h");
    }

    @AfterAll
    void stop() {
        if (app != null) { // without such a server on the class path
            app.close();
        }
    }

    private static void expectOne() {
        gate = new CompletableFuture<>();
        arrived = new CountDownLatch(1);
    }

    static final List<String> TYPES =
            List.of("callable", "task", "deferred", "streaming", "entity", "object", "emitter", "sse", "early");

    @ParameterizedTest
    @FieldSource("TYPES")
    void permitsAreHeldUntilTheResponseIsComplete(String type) throws Exception {
        expectOne();
        CompletableFuture<Integer> first =
                CompletableFuture.supplyAsync(() -> app.get("/" + type).statusCode());
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(app.get("/" + type).statusCode()).isEqualTo(429);
        gate.complete(null);
        assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(200);
        Eventually.holds("it is free again", SOON, () -> app.get("/" + type).statusCode() == 200);
    }

    @ParameterizedTest
    @FieldSource("TYPES")
    void aClientThatIsGoneFreesItsPermits(String type) throws Exception {
        expectOne();
        URI url = URI.create(app.url("/" + type));
        try (Socket client = new Socket(url.getHost(), url.getPort())) {
            client.getOutputStream()
                    .write(("GET /" + type + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
        }
        gate.complete(null);
        Eventually.holds("it is free again", SOON, () -> app.get("/" + type).statusCode() == 200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"late", "failing"})
    void aTimeoutOrAnErrorFreesThem(String type) {
        for (int i = 0; i < 3; i++) {
            Eventually.holds("it is free again", SOON, () -> app.get("/" + type).statusCode() >= 500);
        }
    }

    /** On Jetty no listener is told of that. Where nothing has left yet, an error page does. */
    @ParameterizedTest
    @ValueSource(strings = {"stream", "emitter", "file"})
    void aResponseThatBreaksOffFreesThem(String type) {
        for (int i = 0; i < 3; i++) {
            Eventually.holds(
                    "it is free again",
                    SOON,
                    () -> statusLine("/broken/" + type).matches("HTTP/1.1 [25]00"));
        }
    }

    private String statusLine(String path) {
        URI url = URI.create(app.url(path));
        try (Socket client = new Socket(url.getHost(), url.getPort())) {
            client.setSoTimeout(20_000);
            client.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(client.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void outsideARequestNothingIsHeld() throws Exception {
        gate = CompletableFuture.completedFuture(null);
        Api api = app.bean(Api.class);
        assertThat(api.callable().call()).isEqualTo("done");
        assertThat(api.callable().call()).isEqualTo("done");
    }
}
