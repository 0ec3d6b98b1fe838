package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RunningApp;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No spelling of a path gets past a rule to the application, with and without a context path. */
@Tag("slow")
class PathsTest {
    /** Whatever a server, a proxy or a framework is known to take for /hello. */
    private static final List<String> SPELLINGS = List.of(
            "/hello",
            "/hello/",
            "/hello;a=1",
            "/hello;",
            "/hello;a=1/",
            "/;a=1/hello",
            "/;/hello",
            "//hello",
            "///hello",
            "/./hello",
            "/hello/.",
            "/x/../hello",
            "/x/..;/hello",
            "/x/%2e%2e/hello",
            "/x/%2e%2e;a=1/hello",
            "/%68ello",
            "/%68%65%6c%6c%6f",
            "/hell%6f",
            "/hell%6F;jsessionid=1",
            "/hello%2f",
            "/hello%3ba=1",
            "/%2fhello",
            "/hello%00",
            "/hello%20",
            "/hello%09",
            "/hello?x=1",
            "/hello?;a=1",
            "/hello#x",
            "/hello%23x",
            "/hello%3fx",
            "/hello\\",
            "\\hello",
            "/\\hello",
            "/hello%5c",
            "/x/..%2fhello",
            "/x/%2e%2e%2fhello",
            "/%2568ello",
            "/hello//",
            "/hello/..;/hello",
            "/hello/../hello",
            "http://localhost/hello",
            "http://localhost//hello",
            "http://x/hello;a=1",
            "/HELLO",
            "/hello.json",
            "/%ff/../hello",
            "/hello%c0%af");

    private static Stream<DynamicTest> spellings(Stack stack, String context, String... properties) {
        String[] all = Stream.concat(
                        Stream.of(properties),
                        Stream.of(
                                "sluice.rules[0].name=hello",
                                "sluice.rules[0].when.path=/hello",
                                "sluice.rules[0].limits=1 per 1h sliding-log"))
                .toArray(String[]::new);
        RunningApp app = stack.start(List.of(LoginApp.class), all);
        LoginApp.Arrivals arrivals = app.bean(LoginApp.Arrivals.class);
        Stream<String> targets = SPELLINGS.stream()
                .map(target -> target.startsWith("http") ? target : context + target)
                .flatMap(target -> context.isEmpty()
                        ? Stream.of(target)
                        : Stream.of(
                                target,
                                target.replaceFirst("/shop", "/%73hop"),
                                target.replaceFirst("/shop", "//shop"),
                                target.replaceFirst("/shop", "/shop;a=1"),
                                target.replaceFirst("/shop", "/./shop")));
        return Stream.of(
                        Stream.of(DynamicTest.dynamicTest(
                                stack + " allows one",
                                () -> assertThat(app.get(context + "/hello").statusCode())
                                        .isEqualTo(200))),
                        targets.map(target -> DynamicTest.dynamicTest(stack + " " + target, () -> {
                            int before = arrivals.count();
                            String answer = RawHttp.statusLine(app.url(""), "GET", target);
                            assertThat(arrivals.count()).as(answer).isEqualTo(before);
                        })),
                        Stream.of(DynamicTest.dynamicTest(stack + " and is still there", () -> {
                            assertThat(app.get(context + "/hello").statusCode()).isEqualTo(429);
                            app.close();
                        })))
                .flatMap(each -> each);
    }

    @TestFactory
    Stream<DynamicTest> servlet() {
        return spellings(Stack.SERVLET, "");
    }

    @TestFactory
    Stream<DynamicTest> webflux() {
        return spellings(Stack.WEBFLUX, "");
    }

    @TestFactory
    Stream<DynamicTest> servletWithContextPath() {
        return spellings(Stack.SERVLET, "/shop", "server.servlet.context-path=/shop");
    }

    @TestFactory
    Stream<DynamicTest> webfluxWithBasePath() {
        return spellings(Stack.WEBFLUX, "/shop", "spring.webflux.base-path=/shop");
    }

    /** Patterns that are excluded are within the application, too. */
    @ParameterizedTest
    @EnumSource
    void excludedPathsAreWithinTheApplication(Stack stack) {
        try (RunningApp app = stack.start(
                List.of(LoginApp.class),
                "server.servlet.context-path=/shop",
                "spring.webflux.base-path=/shop",
                "sluice.filter.exclude=/hello/**",
                "sluice.rules[0].name=all",
                "sluice.rules[0].limits=1 per 1h sliding-log")) {
            assertThat(app.statuses(3, "GET", "/shop/hello")).containsOnly(200);
            assertThat(app.statuses(2, "GET", "/shop/")).containsExactly(200, 429);
        }
    }

    /** A pattern that matches no path would leave the path limited that it was meant for. */
    @ParameterizedTest
    @EnumSource
    void anExcludedPatternThatMatchesNoPathEndsTheStart(Stack stack) {
        assertThatThrownBy(() -> stack.start(
                                List.of(LoginApp.class),
                                "sluice.filter.exclude[0]=open/**",
                                "sluice.filter.exclude[1]=/hello/**",
                                "sluice.filter.exclude[2]=**",
                                "sluice.filter.exclude[3]=/hello/{")
                        .close())
                .rootCause()
                .isInstanceOfSatisfying(
                        RateLimitConfigurationException.class,
                        refused -> assertThat(refused.problems())
                                .hasSize(3)
                                .contains(
                                        "sluice.filter.exclude[0]: would never match: a path begins with '/', was 'open/**'",
                                        "sluice.filter.exclude[2]: would never match: a path begins with '/', was '**'")
                                .anySatisfy(problem -> assertThat(problem)
                                        .startsWith("sluice.filter.exclude[3]: expected a path pattern such as "
                                                + "/actuator/**, was '/hello/{': ")));
    }
}
