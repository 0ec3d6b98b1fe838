package dev.sluice.spring.caller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Store;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** What calls show in the response to the request that this thread handles, or handled. */
class CallHeadersTest {
    private final RuleEngine engine = new RuleEngine(Store.local(), RuleFile.parse("rules.yaml", """
                    rules:
                      - { name: wide, limits: [10 per 1h] }
                      - { name: shadow, limits: [10 per 1h], on-exceed: shadow }
                      - { name: once, key: [who], limits: [1 per 1h] }
                    """));
    private final MockHttpServletResponse response = new MockHttpServletResponse();
    private final ServletRequestAttributes attributes =
            new ServletRequestAttributes(new MockHttpServletRequest(), response);

    @BeforeEach
    void bind() {
        RequestContextHolder.setRequestAttributes(attributes);
    }

    @AfterEach
    void unbind() {
        RequestContextHolder.resetRequestAttributes();
    }

    private Verdict check(String rule, String who) {
        return engine.check(List.of(
                        new RuleCheck(rule, Request.builder().with("who", who).build())))
                .join();
    }

    @Test
    void theKeyWithTheLeastLeftIsShown() {
        CallHeaders.show(check("wide", "a"));
        CallHeaders.show(check("once", "a"));
        CallHeaders.show(check("shadow", "a"));
        assertThat(response.getHeader("RateLimit-Policy")).isEqualTo("\"wide\";q=10;w=3600, \"once\";q=1;w=3600");
        assertThat(response.getHeader("RateLimit")).startsWith("\"wide\";r=9;").contains("\"once\";r=0;");
    }

    @Test
    void deniedCallsAreNotShown() {
        check("once", "b");
        CallHeaders.show(check("once", "b"));
        assertThat(response.getHeaderNames()).isEmpty();
    }

    @Test
    void aResponseOnItsWayIsLeftAlone() {
        response.setCommitted(true);
        CallHeaders.show(check("wide", "a"));
        assertThat(response.getHeaderNames()).isEmpty();
    }

    @Test
    void aThreadThatOutlivesTheRequestIsLeftAlone() {
        attributes.requestCompleted();
        CallHeaders.show(check("wide", "a"));
        assertThat(response.getHeaderNames()).isEmpty();
    }
}
