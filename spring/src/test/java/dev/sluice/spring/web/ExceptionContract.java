package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A {@code RateLimitedException} is a 429 wherever it surfaces, unless the application has a handler for it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ExceptionContract {
    private final WebApplicationType type;
    private final List<Class<?>> classes;
    private RunningApp app;
    private RunningApp own;
    private @Nullable RunningApp late;

    @SuppressWarnings("NullAway.Init")
    ExceptionContract(WebApplicationType type, Class<?>... classes) {
        this.type = type;
        this.classes = List.of(classes);
    }

    @BeforeAll
    void start() {
        app = start(AppAdvice.CatchAll.class);
        own = start(AppAdvice.CatchAll.class, AppAdvice.Named.class);
    }

    RunningApp start(Class<?>... more) {
        List<Class<?>> all = new ArrayList<>(classes);
        all.addAll(List.of(more));
        return RunningApp.start(
                type,
                all,
                "sluice.store=memory",
                "spring.mvc.problemdetails.enabled=true",
                "spring.webflux.problemdetails.enabled=true");
    }

    RunningApp app() {
        return app;
    }

    /** An application with a handler for the exception. */
    RunningApp own() {
        return own;
    }

    @AfterAll
    void stop() {
        app.close();
        own.close();
        if (late != null) {
            late.close();
        }
    }

    static void assertRefused(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(429);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        assertThat(response.headers().firstValue("RateLimit")).isPresent();
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(response.body()).contains("\"status\":429");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/value",
                "/mono",
                "/future",
                "/wrapped?in=completion",
                "/wrapped?in=execution",
                "/wrapped?in=undeclared",
                "/function",
                "/function-later",
                "/filter"
            })
    void itIsA429WhereverItSurfaces(String path) {
        String keyed = path + (path.contains("?") ? "&" : "?") + "key=" + path.hashCode();
        assertThat(app.get(keyed).statusCode()).isEqualTo(200);
        assertRefused(app.get(keyed));
    }

    @Test
    void otherExceptionsAreTheApplications() {
        HttpResponse<String> failed = app.get("/broken");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(failed.body()).isEqualTo("caught all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/value", "/mono", "/future", "/function-later"})
    void aHandlerForItWins(String path) {
        String keyed = path + "?key=own" + path.hashCode();
        assertThat(own.get(keyed).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = own.get(keyed);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).isEqualTo("mine: " + (path.equals("/mono") ? "mono" : "once"));
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aHandlerForItThatIsNeverReachedIsNamedInTheLog(CapturedOutput output) {
        RunningApp late = start(AppAdvice.CatchAll.class, AppAdvice.Late.class);
        this.late = late;
        assertThat(late.get("/value?key=a").statusCode()).isEqualTo(200);
        assertRefused(late.get("/value?key=a"));
        assertThat(output).containsPattern("WARN.*Late\\.limited\\(\\) is never called where .*CatchAll\\.any");
    }

    @Test
    void whereNoHandlerReachesItIsStillA429() {
        assertThat(own.get("/filter?key=own").statusCode()).isEqualTo(200);
        assertRefused(own.get("/filter?key=own"));
    }
}
