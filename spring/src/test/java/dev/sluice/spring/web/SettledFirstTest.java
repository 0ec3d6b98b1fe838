package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.RedisServer;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.RunningApp;
import dev.sluice.spring.WebServer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A client sees no byte of a response before its request is charged by the status. Each charge is held up, and meanwhile
 * somebody looks whether the response is there.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SettledFirstTest {
    /** How long a charge is held up. A response that would leave ahead of it needs far less. */
    private static final long HELD_UP_MILLIS = 300;

    private static final List<String> ANY_STACK =
            List.of("/login?ok=false", "/login/now?ok=false", "/login/empty?ok=false", "/login/throws?ok=false");
    private static final List<String> SERVLETS = List.of(
            "/login/error",
            "/login/written",
            "/login/silent",
            "/login/no-bytes",
            "/login/no-text",
            "/login/no-words",
            "/login/ten-kilobytes",
            "/login/large",
            "/login/blank",
            "/login/length-last",
            "/login/forwarded",
            "/login/redirected",
            "/login/redirected-with-a-status",
            "/login/redirected-with-a-body",
            "/login/redirected-with-both",
            "/login/raw-async",
            "/login/ended-by-a-listener",
            "/login/written-by-a-listener",
            "/login/written-without-blocking",
            "/login/dispatched",
            "/login/dispatched-and-ended",
            "/login/included",
            "/login/included-error",
            "/login/included-redirect",
            "/login/error-taken-back",
            "/login/checked",
            "/login/formatted",
            "/login/async-error",
            "/login/closed");
    private static final List<String> WEBFLUX = List.of(
            "/login/in-commit",
            "/login/in-commit-late",
            "/login/in-commit-completed",
            "/login/in-commit-nested",
            "/login/in-commit-of-a-filter",
            "/login/in-commit-fails");

    private final Map<On, RunningApp> apps = new EnumMap<>(On.class);

    /** The servers that an application runs on. */
    enum On {
        TOMCAT(Stack.SERVLET, WebServer.TOMCAT),
        JETTY(Stack.SERVLET, WebServer.JETTY),
        UNDERTOW(Stack.SERVLET, WebServer.UNDERTOW),
        NETTY(Stack.WEBFLUX, WebServer.NETTY),
        WEBFLUX_ON_TOMCAT(Stack.WEBFLUX, WebServer.TOMCAT);

        private final Stack stack;
        private final WebServer server;

        On(Stack stack, WebServer server) {
            this.stack = stack;
            this.server = server;
        }

        Stream<String> paths() {
            return Stream.concat(ANY_STACK.stream(), (stack == Stack.SERVLET ? SERVLETS : WEBFLUX).stream());
        }

        RunningApp start(String store) {
            return SettledFirstTest.start(
                    this,
                    store,
                    List.of(LoginApp.class, stack == Stack.SERVLET ? Responses.class : CommitActions.class));
        }
    }

    @Controller
    static class Responses {
        /** Runs before the status of an asynchronous response is known. */
        private static volatile Runnable beforeStatus = () -> {};

        @PostMapping("/login/error")
        void error(HttpServletResponse response) throws IOException {
            response.sendError(401, "wrong");
        }

        @PostMapping("/login/written")
        void written(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.getWriter().print("wrong");
        }

        @PostMapping("/login/silent")
        void silent(HttpServletResponse response) {
            response.setStatus(401);
        }

        @PostMapping("/login/no-bytes")
        void noBytes(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.setContentLength(0);
            response.getOutputStream().write(new byte[0]);
        }

        @PostMapping("/login/no-text")
        void noText(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.setContentLength(0);
            response.getWriter().write("");
        }

        @PostMapping("/login/no-words")
        ResponseEntity<String> noWords() {
            return ResponseEntity.status(401).body("");
        }

        /** More than Jetty keeps of a single write, and less than it keeps together. */
        @PostMapping("/login/ten-kilobytes")
        void tenKilobytes(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.getOutputStream().write("wrong ".repeat(2_000).getBytes(StandardCharsets.US_ASCII));
        }

        @PostMapping("/login/blank")
        void blank(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            for (int i = 0; i < 100_000; i++) {
                response.getWriter().println();
            }
        }

        @PostMapping("/login/length-last")
        void lengthLast(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.getOutputStream().write("wrong".getBytes(StandardCharsets.US_ASCII));
            response.setContentLength(5);
        }

        @PostMapping("/login/forwarded")
        String forwarded() {
            return "forward:/login/silent";
        }

        @PostMapping("/login/large")
        void large(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.getOutputStream().write("wrong ".repeat(10_000).getBytes(StandardCharsets.US_ASCII));
        }

        @PostMapping("/login/redirected")
        void redirected(HttpServletResponse response) throws IOException {
            response.sendRedirect("/login?error");
        }

        @PostMapping("/login/redirected-with-a-status")
        void redirectedWithAStatus(HttpServletResponse response) throws Exception {
            Redirect61.send(response, "/login?error", 303);
        }

        @PostMapping("/login/redirected-with-a-body")
        void redirectedWithABody(HttpServletResponse response) throws Exception {
            response.getWriter().print("wrong");
            Redirect61.send(response, "/login?error", false);
        }

        @PostMapping("/login/redirected-with-both")
        void redirectedWithBoth(HttpServletResponse response) throws Exception {
            response.getWriter().print("wrong");
            Redirect61.send(response, "/login?error", 303, false);
        }

        private static void onTimeout(HttpServletRequest request, OnTimeout then) {
            AsyncContext async = request.startAsync();
            async.setTimeout(20);
            async.addListener(then);
        }

        @PostMapping("/login/ended-by-a-listener")
        void endedByAListener(HttpServletRequest request, HttpServletResponse response) {
            onTimeout(request, async -> {
                ((HttpServletResponse) async.getResponse()).setStatus(401);
                async.complete();
            });
        }

        @PostMapping("/login/written-by-a-listener")
        void writtenByAListener(HttpServletRequest request, HttpServletResponse response) {
            onTimeout(request, async -> {
                ((HttpServletResponse) async.getResponse()).setStatus(401);
                async.getResponse().getWriter().print("wrong");
                async.getResponse().flushBuffer();
                async.complete();
            });
        }

        @PostMapping("/login/written-without-blocking")
        void writtenWithoutBlocking(HttpServletRequest request, HttpServletResponse response) throws IOException {
            AsyncContext async = request.startAsync();
            ServletOutputStream out = response.getOutputStream();
            out.setWriteListener(new WriteListener() {
                private int left = 5;

                @Override
                public void onWritePossible() throws IOException {
                    response.setStatus(401);
                    while (out.isReady()) {
                        if (left-- == 0) {
                            async.complete();
                            return;
                        }
                        out.write("wrong ".repeat(500).getBytes(StandardCharsets.US_ASCII));
                    }
                }

                @Override
                public void onError(Throwable failure) {}
            });
        }

        /** Goes on with the response of the container. */
        @PostMapping("/login/dispatched")
        void dispatched(HttpServletRequest request, HttpServletResponse response) {
            request.startAsync().dispatch("/login/closed");
        }

        @PostMapping("/login/dispatched-and-ended")
        void dispatchedAndEnded(HttpServletRequest request, HttpServletResponse response) {
            request.startAsync().dispatch("/login/own-async");
        }

        @PostMapping("/login/own-async")
        void ownAsync(HttpServletRequest request, HttpServletResponse response) {
            AsyncContext async = request.startAsync();
            async.start(() -> {
                ((HttpServletResponse) async.getResponse()).setStatus(401);
                async.complete();
            });
        }

        @PostMapping("/login/of-five-bytes")
        void ofFiveBytes(HttpServletResponse response) throws IOException {
            response.setContentLength(5);
            response.getWriter().print("wrong");
        }

        /** The container ignores the length, so the status may still change. */
        @PostMapping("/login/included")
        void included(HttpServletRequest request, HttpServletResponse response) throws Exception {
            request.getRequestDispatcher("/login/of-five-bytes").include(request, response);
            response.setStatus(401);
        }

        @PostMapping("/login/included-error")
        void includedError(HttpServletRequest request, HttpServletResponse response) throws Exception {
            request.getRequestDispatcher("/login/error").include(request, response);
            response.setStatus(401);
            response.flushBuffer();
        }

        @PostMapping("/login/included-redirect")
        void includedRedirect(HttpServletRequest request, HttpServletResponse response) throws Exception {
            request.getRequestDispatcher("/login/redirected").include(request, response);
            response.setStatus(401);
            response.flushBuffer();
        }

        /** Undertow allows that. */
        @PostMapping("/login/error-taken-back")
        void errorTakenBack(HttpServletResponse response) throws IOException {
            response.sendError(401);
            try {
                response.reset();
            } catch (IllegalStateException e) {
                return;
            }
            response.setStatus(401);
            response.getWriter().print("wrong");
            response.flushBuffer();
        }

        @PostMapping("/login/checked")
        void checked(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.getWriter().print("wrong");
            assertThat(response.getWriter().checkError()).isFalse();
        }

        @PostMapping("/login/formatted")
        void formatted(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            for (int i = 0; i < 1000; i++) {
                response.getWriter().format("wrong %d %s", i, "password").append("more");
            }
        }

        @PostMapping("/login/async-error")
        void asyncError(HttpServletRequest request, HttpServletResponse response) {
            AsyncContext async = request.startAsync(request, response);
            async.start(() -> {
                try {
                    response.sendError(401, "wrong");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                async.complete();
            });
        }

        @PostMapping("/login/closed")
        void closed(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.getOutputStream().write('1');
            response.getOutputStream().close();
        }

        @PostMapping("/login/raw-async")
        void rawAsync(HttpServletRequest request, HttpServletResponse response) {
            AsyncContext async = request.startAsync(request, response);
            async.start(() -> {
                beforeStatus.run();
                response.setStatus(401);
                async.complete();
            });
        }
    }

    /** Changes the status of a response that is being committed. */
    @RestController
    static class CommitActions implements WebFilter {
        private static Supplier<Mono<Void>> unauthorized(ServerHttpResponse response) {
            return () -> Mono.fromRunnable(() -> response.setStatusCode(HttpStatus.UNAUTHORIZED));
        }

        @Override
        public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
            if (exchange.getRequest().getPath().value().equals("/login/in-commit-of-a-filter")) {
                exchange.getResponse().beforeCommit(unauthorized(exchange.getResponse()));
            }
            return chain.filter(exchange);
        }

        @PostMapping("/login/in-commit-of-a-filter")
        String inCommitOfAFilter() {
            return "wrong";
        }

        @PostMapping("/login/in-commit")
        String inCommit(ServerHttpResponse response) {
            response.beforeCommit(unauthorized(response));
            return "wrong";
        }

        @PostMapping("/login/in-commit-late")
        Flux<String> late(ServerHttpResponse response) {
            response.beforeCommit(() -> Mono.delay(Duration.ofMillis(20))
                    .then(unauthorized(response).get()));
            return Flux.just("wrong", "password");
        }

        @PostMapping("/login/in-commit-completed")
        Mono<Void> completed(ServerHttpResponse response) {
            response.beforeCommit(unauthorized(response));
            return response.setComplete();
        }

        /** Spring runs only the actions that were registered before the commit: the response leaves with 401. */
        @PostMapping("/login/in-commit-nested")
        Mono<Void> nested(ServerHttpResponse response) {
            response.beforeCommit(() -> {
                response.beforeCommit(() -> Mono.fromRunnable(() -> response.setStatusCode(HttpStatus.OK)));
                return unauthorized(response).get();
            });
            return response.setComplete();
        }

        @PostMapping("/login/taken-back-in-commit")
        Mono<Void> takenBack(ServerHttpResponse response) {
            response.setStatusCode(HttpStatus.UNAUTHORIZED);
            response.beforeCommit(() -> Mono.fromRunnable(() -> response.setStatusCode(HttpStatus.OK)));
            return response.setComplete();
        }

        /** Spring runs no further action then, and sends an error page. */
        @PostMapping("/login/in-commit-fails")
        String fails(ServerHttpResponse response) {
            response.beforeCommit(() -> Mono.error(new ResponseStatusException(HttpStatus.UNAUTHORIZED)));
            return "wrong";
        }
    }

    /** Ends an asynchronous response after its timeout. */
    private interface OnTimeout extends AsyncListener {
        void end(AsyncContext async) throws IOException;

        @Override
        default void onTimeout(AsyncEvent event) throws IOException {
            end(event.getAsyncContext());
        }

        @Override
        default void onComplete(AsyncEvent event) {}

        @Override
        default void onError(AsyncEvent event) {}

        @Override
        default void onStartAsync(AsyncEvent event) {}
    }

    private static RunningApp start(On on, String store, List<Class<?>> classes) {
        return on.stack.startOn(
                on.server,
                classes,
                "sluice.store=" + store,
                "sluice.redis.timeout=20s",
                "sluice.trusted-proxies=127.0.0.1",
                "sluice.rules[0].name=wrong-passwords",
                "sluice.rules[0].when.path=/login/**",
                "sluice.rules[0].when.status[0]=401",
                "sluice.rules[0].when.status[1]=302",
                "sluice.rules[0].when.status[2]=303",
                "sluice.rules[0].key=ip",
                "sluice.rules[0].limits=100 per 1h sliding-log");
    }

    @AfterAll
    void stop() {
        apps.values().forEach(RunningApp::close);
    }

    static Stream<Arguments> paths() {
        return Stream.of(On.values()).flatMap(on -> on.paths().map(path -> Arguments.of(on, path)));
    }

    /**
     * Whether a listener is told of a charge. When a request begins it is told, too: of the rules that are charged then, and
     * there are none.
     */
    private static boolean isCharge(Verdict verdict) {
        return !verdict.decisions().isEmpty();
    }

    /** Holds up charges until somebody has seen the response; tells whether that was so. */
    private static final class Hindrance implements VerdictListener {
        private final CountDownLatch visible = new CountDownLatch(1);
        private final CompletableFuture<Boolean> seenFirst = new CompletableFuture<>();

        @Override
        public void decided(Request request, Verdict verdict) {
            if (!isCharge(verdict)) {
                return;
            }
            try {
                seenFirst.complete(visible.await(HELD_UP_MILLIS, TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("paths")
    void nothingIsVisibleBeforeTheCharge(On on, String path) throws Exception {
        RunningApp app = apps.computeIfAbsent(on, each -> each.start("memory"));
        Hindrance hindrance = new Hindrance();
        app.bean(RuleEngine.class).listener(hindrance);
        try (Socket socket = RawHttp.send(app.url(""), "POST", path, "X-Forwarded-For", "203.0.113.1")) {
            assertThat(socket.getInputStream().read()).isEqualTo('H');
            hindrance.visible.countDown();
        }
        assertThat(hindrance.seenFirst.get(30, TimeUnit.SECONDS)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"NETTY", "WEBFLUX_ON_TOMCAT"})
    void aStatusTakenBackInTheCommitIsNotCharged(On on) throws Exception {
        RunningApp app = apps.computeIfAbsent(on, each -> each.start("memory"));
        AtomicInteger charges = new AtomicInteger();
        app.bean(RuleEngine.class).listener((request, verdict) -> charges.addAndGet(isCharge(verdict) ? 1 : 0));
        post(app, "/login/taken-back-in-commit");
        assertThat(charges).hasValue(0);
        post(app, "/login/in-commit");
        assertThat(charges).hasValue(1);
    }

    private static void post(RunningApp app, String path) throws IOException {
        try (Socket socket = RawHttp.send(app.url(""), "POST", path, "X-Forwarded-For", "203.0.113.3")) {
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }
    }

    static Stream<Arguments> servletPaths() {
        return Stream.of(On.TOMCAT, On.JETTY, On.UNDERTOW)
                .flatMap(on -> SERVLETS.stream().map(path -> Arguments.of(on, path)));
    }

    /** What is committed may leave at any moment. Tomcat commits a response when it gets the no bytes that it expects. */
    @ParameterizedTest
    @MethodSource("servletPaths")
    void nothingIsCommittedBeforeTheCharge(On on, String path) throws Exception {
        RunningApp app = apps.computeIfAbsent(on, each -> each.start("memory"));
        CompletableFuture<Boolean> committed = new CompletableFuture<>();
        app.bean(RuleEngine.class).listener((request, verdict) -> {
            if (isCharge(verdict)) {
                committed.complete(isCommitted());
            }
        });
        try (Socket socket = RawHttp.send(app.url(""), "POST", path, "X-Forwarded-For", "203.0.113.2")) {
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }
        assertThat(committed.get(30, TimeUnit.SECONDS)).isFalse();
    }

    /** Of the response that this thread is writing. */
    private static boolean isCommitted() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                && attributes.getResponse() != null
                && attributes.getResponse().isCommitted();
    }

    /** A response without a body, which nothing but the end of its asynchronous part sends. */
    @Tag("full")
    @ParameterizedTest
    @EnumSource(names = {"TOMCAT", "JETTY", "UNDERTOW"})
    void theEndOfAnAsynchronousResponseWaitsForRedis(On on) throws IOException {
        try (RedisServer redis = RedisServer.start();
                RunningApp app = on.start(redis.url())) {
            Responses.beforeStatus = redis::pause;
            try (Socket socket = RawHttp.send(app.url(""), "POST", "/login/raw-async")) {
                socket.setSoTimeout(2_000); // a busy machine may need that long to send what it should not
                assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
                redis.resume();
                socket.setSoTimeout(20_000);
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
        } finally {
            Responses.beforeStatus = () -> {};
        }
    }
}
