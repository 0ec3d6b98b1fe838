package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Who the client is, whoever reads X-Forwarded-For before the filter does. */
@ExtendWith(OutputCaptureExtension.class)
class ForwardedTest {
    private static RunningApp app(Stack stack, String... more) {
        List<String> properties = new ArrayList<>(List.of(more));
        properties.addAll(List.of(
                "sluice.rules[0].name=hello-per-ip",
                "sluice.rules[0].when.path=/hello",
                "sluice.rules[0].key=ip",
                "sluice.rules[0].limits=2 per 1h sliding-log"));
        return stack.start(List.of(LoginApp.class), properties.toArray(String[]::new));
    }

    private static int hello(RunningApp app, String... headers) {
        return app.get("/hello", headers).statusCode();
    }

    /** This machine is the proxy: the last entry is the client, and what is before it the client has written. */
    @ParameterizedTest
    @CsvSource({
        "SERVLET,none",
        "SERVLET,framework",
        "SERVLET,native",
        "WEBFLUX,none",
        "WEBFLUX,framework",
        "WEBFLUX,native"
    })
    void aForgedEntryDoesNotCount(Stack stack, String strategy) {
        try (RunningApp app =
                app(stack, "server.forward-headers-strategy=" + strategy, "sluice.trusted-proxies=127.0.0.1")) {
            assertThat(hello(app, "X-Forwarded-For", "198.51.100.1, 203.0.113.1"))
                    .isEqualTo(200);
            assertThat(hello(app, "X-Forwarded-For", "198.51.100.2, 203.0.113.1"))
                    .isEqualTo(200);
            assertThat(hello(app, "X-Forwarded-For", "198.51.100.3, 203.0.113.1"))
                    .isEqualTo(429);
            assertThat(hello(app, "X-Forwarded-For", "198.51.100.3, 203.0.113.2"))
                    .isEqualTo(200);
            assertThat(app.get("/by-ip", "X-Forwarded-For", "198.51.100.1, 203.0.113.1")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(app.get("/by-ip", "X-Forwarded-For", "198.51.100.2, 203.0.113.1")
                            .statusCode())
                    .isEqualTo(429);
            assertThat(app.get("/by-ip", "X-Forwarded-For", "198.51.100.2, 203.0.113.2")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    /** This machine is no proxy: whatever it says of others, it is the client. Tomcat's own valve is not asked. */
    @ParameterizedTest
    @CsvSource({"SERVLET,none", "SERVLET,framework", "WEBFLUX,none", "WEBFLUX,framework", "WEBFLUX,native"})
    void whoIsNotTrustedSpeaksForItselfOnly(Stack stack, String strategy) {
        try (RunningApp app =
                app(stack, "server.forward-headers-strategy=" + strategy, "sluice.trusted-proxies=192.0.2.1")) {
            assertThat(hello(app, "X-Forwarded-For", "198.51.100.1")).isEqualTo(200);
            assertThat(hello(app, "X-Forwarded-For", "198.51.100.2")).isEqualTo(200);
            assertThat(hello(app, "X-Forwarded-For", "198.51.100.3")).isEqualTo(429);
            assertThat(hello(app, "Forwarded", "for=198.51.100.4")).isEqualTo(429);
        }
    }

    /** A prefix that the client has made up moves the path for Spring, and not for rules. */
    @ParameterizedTest
    @EnumSource
    void aForgedPrefixOrHostMovesNothing(Stack stack) {
        try (RunningApp app = app(
                stack,
                "server.forward-headers-strategy=framework",
                "sluice.rules[1].name=of-host",
                "sluice.rules[1].when.path=/hello/you",
                "sluice.rules[1].when.host=127.0.0.1",
                "sluice.rules[1].limits=1 per 1h sliding-log")) {
            assertThat(hello(app, "X-Forwarded-Prefix", "/x")).isEqualTo(200);
            assertThat(hello(app, "X-Forwarded-Prefix", "/y")).isEqualTo(200);
            assertThat(hello(app, "X-Forwarded-Prefix", "/z")).isEqualTo(429);
            assertThat(app.get("/hello/you", "X-Forwarded-Host", "a.example").statusCode())
                    .isEqualTo(200);
            assertThat(app.get("/hello/you", "X-Forwarded-Host", "b.example").statusCode())
                    .isEqualTo(429);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotBeRightIsSaidAtStart(Stack stack, CapturedOutput output) {
        app(stack, "server.forward-headers-strategy=framework").close();
        assertThat(output)
                .contains(
                        "server.forward-headers-strategy=framework, but there are no trusted-proxies: the attribute ip is "
                                + "the address of the proxy");
        app(stack, "server.forward-headers-strategy=native", "sluice.trusted-proxies=127.0.0.1")
                .close();
        if (stack == Stack.SERVLET) {
            assertThat(output).contains("server.forward-headers-strategy=native: the server decides");
        } else {
            assertThat(output).doesNotContain("native: the server decides");
        }
    }
}
