package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Who the client is, whoever reads X-Forwarded-For before the filter does. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class ForwardedTest {
    /** This machine by another address, which is not trusted. */
    private static final String OTHER = "127.0.0.2";

    private static int hello(RunningApp app, String... headers) {
        return app.get("/hello", headers).statusCode();
    }

    private static int fromOther(RunningApp app, String path, String... headers) {
        String line = RawHttp.statusLineFrom(OTHER, app.url(""), "GET", path, headers);
        return Integer.parseInt(line.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
    }

    /** 127.0.0.1 is the proxy, and 127.0.0.2 is somebody else. */
    @ParameterizedTest
    @CsvSource({
        "SERVLET,none",
        "SERVLET,framework",
        "SERVLET,native",
        "WEBFLUX,none",
        "WEBFLUX,framework",
        "WEBFLUX,native"
    })
    void onlyAProxySaysWhoTheClientIs(Stack stack, String strategy, CapturedOutput output) {
        try (RunningApp app = stack.start(
                List.of(LoginApp.class),
                "server.forward-headers-strategy=" + strategy,
                "sluice.trusted-proxies=127.0.0.1",
                "sluice.rules[0].name=hello-per-ip",
                "sluice.rules[0].when.path=/hello",
                "sluice.rules[0].key=ip",
                "sluice.rules[0].limits=2 per 1h sliding-log",
                "sluice.rules[1].name=of-host",
                "sluice.rules[1].when.path=/hello/you",
                "sluice.rules[1].when.host=localhost",
                "sluice.rules[1].limits=1 per 1h sliding-log",
                "sluice.rules[2].name=of-path",
                "sluice.rules[2].when.path=/hello/me",
                "sluice.rules[2].limits=2 per 1h sliding-log")) {
            boolean tomcatDecides = stack == Stack.SERVLET && strategy.equals("native");
            assertThat(output.toString().contains("server.forward-headers-strategy=native: the server decides"))
                    .isEqualTo(tomcatDecides);
            aForgedEntryDoesNotCount(app);
            if (!tomcatDecides) {
                whoIsNotTrustedSpeaksForItselfOnly(app);
                aForgedPrefixOrHostMovesNothing(app);
            }
        }
    }

    /** The last entry is the client, and what is before it the client has written. */
    private static void aForgedEntryDoesNotCount(RunningApp app) {
        assertThat(hello(app, "X-Forwarded-For", "198.51.100.1, 203.0.113.1")).isEqualTo(200);
        assertThat(hello(app, "X-Forwarded-For", "198.51.100.2, 203.0.113.1")).isEqualTo(200);
        assertThat(hello(app, "X-Forwarded-For", "198.51.100.3, 203.0.113.1")).isEqualTo(429);
        assertThat(hello(app, "X-Forwarded-For", "198.51.100.3, 203.0.113.2")).isEqualTo(200);
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

    /** Whatever it says of others, it is the client. */
    private static void whoIsNotTrustedSpeaksForItselfOnly(RunningApp app) {
        assertThat(fromOther(app, "/hello", "X-Forwarded-For", "198.51.100.1")).isEqualTo(200);
        assertThat(fromOther(app, "/hello", "X-Forwarded-For", "198.51.100.2")).isEqualTo(200);
        assertThat(fromOther(app, "/hello", "X-Forwarded-For", "198.51.100.3")).isEqualTo(429);
        assertThat(fromOther(app, "/hello", "Forwarded", "for=198.51.100.4")).isEqualTo(429);
        assertThat(fromOther(app, "/hello", "X-Forwarded-For", "198.51.100.5", "X-Forwarded-For", "127.0.0.1"))
                .isEqualTo(429);
    }

    /** A prefix that the client has made up moves the path for Spring, and not for rules. */
    private static void aForgedPrefixOrHostMovesNothing(RunningApp app) {
        assertThat(fromOther(app, "/hello/me", "X-Forwarded-Prefix", "/x")).isEqualTo(200);
        assertThat(fromOther(app, "/hello/me", "X-Forwarded-Prefix", "/y")).isEqualTo(200);
        assertThat(fromOther(app, "/hello/me", "X-Forwarded-Prefix", "/z")).isEqualTo(429);
        assertThat(fromOther(app, "/hello/you", "X-Forwarded-Host", "a.example"))
                .isEqualTo(200);
        assertThat(fromOther(app, "/hello/you", "X-Forwarded-Host", "b.example"))
                .isEqualTo(429);
    }

    @ParameterizedTest
    @EnumSource
    void aStrategyWithoutTrustedProxiesIsSaidAtStart(Stack stack, CapturedOutput output) {
        stack.start(
                        List.of(LoginApp.class),
                        "server.forward-headers-strategy=framework",
                        "sluice.rules[0].name=hello",
                        "sluice.rules[0].limits=2 per 1h")
                .close();
        assertThat(output)
                .contains(
                        "server.forward-headers-strategy=framework, but there are no trusted-proxies: the attribute ip is "
                                + "the address of the proxy");
    }
}
