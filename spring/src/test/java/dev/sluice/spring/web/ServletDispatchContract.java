package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RunningApp;
import dev.sluice.spring.WebServer;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** A request is counted once, by the status that its client sees, through all dispatches of a servlet container. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ServletDispatchContract {
    static final List<String> PATHS = List.of(
            "forwarded",
            "included",
            "error",
            "written",
            "silent",
            "callable",
            "deferred",
            "timeout",
            "raw-async",
            "late-status",
            "second-thought",
            "flushed",
            "thrown",
            "sent",
            "half-a-page",
            "length-last",
            "completed",
            "deferred-already",
            "async-thrown",
            "streamed",
            "async-sent");

    private static final String WRONG = "the password is wrong";

    private final WebServer server;
    private RunningApp app;

    @SuppressWarnings("NullAway.Init")
    ServletDispatchContract(WebServer server) {
        this.server = server;
    }

    @Controller
    static class Dispatches {
        @PostMapping("/login/forwarded")
        String forwarded() {
            return "forward:/login/now?ok=false";
        }

        @PostMapping("/login/included")
        void included(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            response.setStatus(401);
            request.getRequestDispatcher("/login/now?ok=true").include(request, response);
        }

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

        @PostMapping("/login/callable")
        @ResponseBody
        Callable<ResponseEntity<String>> callable() {
            return () -> ResponseEntity.status(401).body("wrong");
        }

        @PostMapping("/login/deferred")
        @ResponseBody
        DeferredResult<ResponseEntity<Void>> deferred() {
            DeferredResult<ResponseEntity<Void>> result = new DeferredResult<>();
            new Thread(() -> result.setResult(ResponseEntity.status(401).build())).start();
            return result;
        }

        @PostMapping("/login/timeout")
        @ResponseBody
        DeferredResult<ResponseEntity<Void>> timeout() {
            return new DeferredResult<>(20L, ResponseEntity.status(401).build());
        }

        /** What is written is not on its way yet, so the status can still be changed. */
        @PostMapping("/login/late-status")
        void lateStatus(HttpServletResponse response) throws IOException {
            response.getOutputStream().write("wrong".getBytes(StandardCharsets.UTF_8));
            response.setStatus(401);
        }

        @PostMapping("/login/second-thought")
        void secondThought(HttpServletResponse response) throws IOException {
            response.getWriter().print("welcome");
            response.reset();
            response.setStatus(401);
            response.getOutputStream().write("wrong".getBytes(StandardCharsets.UTF_8));
        }

        @PostMapping("/login/flushed")
        void flushed(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.getWriter().print("wrong");
            response.flushBuffer();
            response.setStatus(200);
        }

        /** The error page makes a 401 of it. */
        @PostMapping("/login/thrown")
        void thrown() {
            throw new UnsupportedOperationException(WRONG);
        }

        @PostMapping("/login/sent")
        void sent(HttpServletResponse response) throws IOException {
            response.sendError(500, WRONG);
        }

        /** What is written so far fits into the buffer, so the error page takes its place. */
        @PostMapping("/login/half-a-page")
        void halfAPage(HttpServletResponse response) throws IOException {
            response.getWriter().print("welcome ".repeat(500));
            throw new UnsupportedOperationException(WRONG);
        }

        @PostMapping("/login/length-last")
        void lengthLast(HttpServletResponse response) throws IOException {
            response.setStatus(401);
            response.getOutputStream().write("wrong".getBytes(StandardCharsets.UTF_8));
            response.setContentLength(5);
        }

        @PostMapping("/login/completed")
        @ResponseBody
        CompletableFuture<ResponseEntity<String>> completed() {
            return CompletableFuture.completedFuture(ResponseEntity.status(401).body("wrong"));
        }

        @PostMapping("/login/deferred-already")
        @ResponseBody
        DeferredResult<ResponseEntity<Void>> deferredAlready() {
            DeferredResult<ResponseEntity<Void>> result = new DeferredResult<>();
            result.setResult(ResponseEntity.status(401).build());
            return result;
        }

        @PostMapping("/login/async-thrown")
        @ResponseBody
        Callable<String> asyncThrown() {
            return () -> {
                throw new UnsupportedOperationException(WRONG);
            };
        }

        @PostMapping("/login/streamed")
        ResponseEntity<StreamingResponseBody> streamed() {
            return ResponseEntity.status(401).body(out -> {
                out.write("wrong".getBytes(StandardCharsets.UTF_8));
                out.flush();
                out.write("wrong ".repeat(100_000).getBytes(StandardCharsets.UTF_8));
            });
        }

        @PostMapping("/login/async-sent")
        void asyncSent(HttpServletRequest request, HttpServletResponse response) {
            var async = request.startAsync(request, response);
            async.start(() -> {
                try {
                    response.sendError(401, "wrong");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                async.complete();
            });
        }

        @PostMapping("/login/taken-back")
        void takenBack(HttpServletResponse response) throws IOException {
            PrintWriter writer = response.getWriter();
            writer.print("wrong");
            response.resetBuffer();
            writer.print("right");
        }

        @PostMapping("/login/raw-async")
        void rawAsync(HttpServletRequest request, HttpServletResponse response) {
            var async = request.startAsync(request, response);
            async.start(() -> {
                response.setStatus(401);
                async.complete();
            });
        }
    }

    /** An error page that answers 401 to whatever is wrong with the password. */
    private static void errorPage(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String reason = request.getAttribute(RequestDispatcher.ERROR_MESSAGE) + " "
                + request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
        if (reason.contains(WRONG)) {
            ((HttpServletResponse) response).setStatus(401);
            response.getWriter().print("wrong");
        } else {
            chain.doFilter(request, response);
        }
    }

    static class Once {
        @RateLimit("1 per 1h")
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Once.class)
    static class Filters {
        @Bean
        FilterRegistrationBean<Filter> errorPage() {
            FilterRegistrationBean<Filter> page = new FilterRegistrationBean<>(ServletDispatchContract::errorPage);
            page.setDispatcherTypes(EnumSet.of(DispatcherType.ERROR));
            return page;
        }

        @Bean
        FilterRegistrationBean<Filter> limited(Once once) {
            FilterRegistrationBean<Filter> limited = new FilterRegistrationBean<>((request, response, chain) -> {
                once.call();
                response.getWriter().print("yes");
            });
            limited.addUrlPatterns("/login/limited");
            limited.setOrder(0);
            return limited;
        }
    }

    @BeforeAll
    void start() {
        app = Stack.SERVLET.startOn(
                server,
                List.of(LoginApp.class, Dispatches.class, Filters.class),
                WrongPasswordsContract.properties("memory"));
    }

    @AfterAll
    void stop() {
        if (app != null) { // without such a server on the class path
            app.close();
        }
    }

    @ParameterizedTest
    @FieldSource("PATHS")
    void eachIsCountedOnce(String path) {
        String ip = "203.0.115." + PATHS.indexOf(path);
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            statuses.add(
                    app.send("POST", "/login/" + path, "X-Forwarded-For", ip).statusCode());
        }
        assertThat(statuses).isEqualTo(Arrays.asList(401, 401, 401, 429, 429));
    }

    /** A denial in a filter of the application is no crash: it is not counted by the rule on the status 500. */
    @Test
    void aDenialThatPassesTheFilterHasTheStatusOfItsRefusal() {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            HttpResponse<String> answer = app.send("POST", "/login/limited", "X-Forwarded-For", "203.0.115.101");
            answers.add(answer.statusCode() + (answer.body().contains("Once.call") ? " by the annotation" : ""));
        }
        assertThat(answers)
                .containsExactly("200", "429 by the annotation", "429 by the annotation", "429 by the annotation");
    }

    @Test
    void textThatIsTakenBackIsNotSent() {
        assertThat(app.send("POST", "/login/taken-back", "X-Forwarded-For", "203.0.115.100")
                        .body())
                .isEqualTo("right");
    }
}
