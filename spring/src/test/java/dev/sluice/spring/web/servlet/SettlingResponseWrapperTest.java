package dev.sluice.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Store;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.spring.LimitedCallListener.Ending;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.Redirect61;
import dev.sluice.spring.web.RequestCharge;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.mock.web.MockHttpServletResponse;

/** Whatever may make a container send the response, Jetty and Undertow included, the charge is settled before it. */
class SettlingResponseWrapperTest {
    private static final Request REQUEST = Request.of(Map.of("ip", "203.0.113.1"), 1);
    private static final byte[] BODY = "wrong".getBytes(StandardCharsets.US_ASCII);

    private interface Writing {
        void to(HttpServletResponse response) throws Exception;
    }

    private record Case(String name, long charged, Writing writing) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("part of the body", 0, response -> {
                    response.setContentLength(BODY.length + 1);
                    response.getOutputStream().write(BODY);
                }),
                new Case("the whole body", 1, response -> {
                    response.setContentLength(BODY.length);
                    response.getOutputStream().write(BODY);
                }),
                new Case("the whole body, its length as a header", 1, response -> {
                    response.setHeader("content-length", "5");
                    response.getOutputStream().write(BODY);
                }),
                new Case("the whole text", 1, response -> {
                    response.setContentLengthLong(BODY.length);
                    response.getWriter().print("wrong");
                }),
                new Case(
                        "a body of unknown length",
                        0,
                        response -> response.getOutputStream().write(BODY)),
                new Case("a length that was taken back", 0, response -> {
                    response.setContentLength(BODY.length);
                    response.reset();
                    response.setStatus(401);
                    response.getOutputStream().write(BODY);
                }),
                new Case("more than a server keeps of one write", 1, response -> {
                    response.setBufferSize(32 * 1024);
                    response.getOutputStream().write(new byte[10_000]);
                }),
                new Case("its length after the body", 1, response -> {
                    response.getOutputStream().write(BODY);
                    response.setContentLength(BODY.length);
                }),
                new Case("a text that fits into the buffer", 0, response -> {
                    response.setBufferSize(8 * 1024);
                    response.getWriter().print("wrong ".repeat(1_000));
                }),
                new Case("a text that does not, in its encoding", 1, response -> {
                    response.setBufferSize(8 * 1024);
                    response.setContentType("text/plain;charset=UTF-8");
                    response.getWriter().print("\u932f\u8aa4".repeat(1_500));
                }),
                new Case("blank lines", 1, response -> {
                    response.setBufferSize(8 * 1024);
                    for (int i = 0; i < 10_000; i++) {
                        response.getWriter().println();
                    }
                }),
                new Case("nothing", 0, response -> response.setContentLength(0)),
                new Case("a redirect", 1, response -> response.sendRedirect("/login?error")),
                new Case("a redirect with a status", 1, response -> Redirect61.send(response, "/login?error", 302)),
                new Case("a redirect with a body", 1, response -> Redirect61.send(response, "/login?error", false)),
                new Case("a redirect with both", 1, response -> Redirect61.send(response, "/login?error", 302, false)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void settlesWhenTheResponseMayLeave(Case each) throws Exception {
        RuleRegistry registry = new RuleRegistry(Store.builder().build(), RuleFile.parse("rules.yaml", """
                        rules:
                          - { name: wrong, key: [ip], when: { status: [401, 302] }, limits: [3 per 1h sliding-log] }
                        """));
        Verdict verdict = registry.engine().begin(REQUEST, everyRule -> true).join();
        MockHttpServletResponse response = new MockHttpServletResponse();
        SettlingResponseWrapper settling = new SettlingResponseWrapper(
                response, new RequestCharge(registry.engine(), registry.web(), REQUEST, verdict, Ending.NONE));
        settling.setStatus(401);
        each.writing.to(settling);
        long remaining = Objects.requireNonNull(
                        registry.engine().inspect("wrong", "203.0.113.1").join())
                .decision()
                .remaining();
        assertThat(3 - remaining).isEqualTo(each.charged);
    }
}
