package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;

/** A request is counted once, by the status that its client sees, through all dispatches of a servlet container. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServletDispatchTest {
    static final List<String> PATHS = List.of(
            "forwarded", "included", "error", "written", "silent", "callable", "deferred", "timeout", "raw-async");

    private RunningApp app;

    @SuppressWarnings("NullAway.Init")
    ServletDispatchTest() {}

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

        @PostMapping("/login/raw-async")
        void rawAsync(HttpServletRequest request, HttpServletResponse response) {
            var async = request.startAsync(request, response);
            async.start(() -> {
                response.setStatus(401);
                async.complete();
            });
        }
    }

    @BeforeAll
    void start() {
        app = Stack.SERVLET.start(
                List.of(LoginApp.class, Dispatches.class), WrongPasswordsContract.properties("memory"));
    }

    @AfterAll
    void stop() {
        app.close();
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
}
