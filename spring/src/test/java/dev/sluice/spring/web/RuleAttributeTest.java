package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.rules.file.RuleFile;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleAttribute;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.RunningApp;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpCookie;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.WebUtils;
import reactor.core.publisher.Mono;

/** Attributes that the application adds: a tenant from a header, a plan from a cookie, a role from the user. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class RuleAttributeTest {
    private static final AtomicInteger READ = new AtomicInteger();

    @Configuration(proxyBeanMethods = false)
    static class ServletAttributes {
        @Bean
        RuleAttribute<HttpServletRequest> tenant() {
            return RuleAttribute.of("tenant", request -> request.getHeader("X-Tenant"));
        }

        @Bean
        RuleAttribute<HttpServletRequest> plan() {
            return RuleAttribute.of("plan", request -> {
                jakarta.servlet.http.Cookie cookie = WebUtils.getCookie(request, "plan");
                return cookie == null ? null : cookie.getValue();
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FluxAttributes {
        @Bean
        RuleAttribute<ServerWebExchange> tenant() {
            return RuleAttribute.of(
                    "tenant", exchange -> exchange.getRequest().getHeaders().getFirst("X-Tenant"));
        }

        @Bean
        RuleAttribute<ServerWebExchange> plan() {
            return RuleAttribute.of("plan", exchange -> {
                HttpCookie cookie = exchange.getRequest().getCookies().getFirst("plan");
                return cookie == null ? null : cookie.getValue();
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Both {
        @Bean
        RuleAttribute<Object> initial() {
            return RuleAttribute.ofUser("initial", user -> user.getName().substring(0, 1));
        }

        @Bean
        RuleAttribute<Object> unused() {
            return RuleAttribute.of("unused", request -> "" + READ.incrementAndGet());
        }
    }

    @RestController
    static class ByTenant {
        @GetMapping("/by-rule")
        @RateLimit(rule = "by-tenant")
        public Mono<String> byRule() {
            return Mono.just("yes");
        }
    }

    private static final String[] RULES = {
        "sluice.rules[0].name=by-tenant",
        "sluice.rules[0].when.path=/hello",
        "sluice.rules[0].key=tenant",
        "sluice.rules[0].limits=1 per 1h sliding-log",
        "sluice.rules[0].overrides[0].plan=pro",
        "sluice.rules[0].overrides[0].limits=3 per 1h sliding-log",
        "sluice.rules[1].name=by-initial",
        "sluice.rules[1].when.path=/hello/*",
        "sluice.rules[1].key=initial",
        "sluice.rules[1].limits=2 per 1h sliding-log"
    };

    private static RunningApp app(Stack stack, Class<?>... more) {
        Class<?> own = stack == Stack.SERVLET ? ServletAttributes.class : FluxAttributes.class;
        Class<?> security = stack == Stack.SERVLET ? ServletTest.Security.class : WebFluxTest.Security.class;
        List<Class<?>> classes =
                new java.util.ArrayList<>(List.of(LoginApp.class, ByTenant.class, own, Both.class, security));
        classes.addAll(List.of(more));
        return stack.startWithSecurity(classes, RULES);
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @EnumSource
    void rulesKeysAndOverridesUseThem(Stack stack) {
        int before = READ.get();
        try (RunningApp app = app(stack)) {
            assertThat(app.statuses(2, "GET", "/hello", "X-Tenant", "a")).containsExactly(200, 429);
            assertThat(app.statuses(2, "GET", "/hello", "X-Tenant", "b")).containsExactly(200, 429);
            assertThat(app.statuses(4, "GET", "/hello", "X-Tenant", "c", "Cookie", "plan=pro"))
                    .containsExactly(200, 200, 200, 429);
            assertThat(app.statuses(3, "GET", "/hello")).containsOnly(200);
            assertThat(app.statuses(2, "GET", "/hello/x", "Authorization", basic("ann")))
                    .containsOnly(200);
            assertThat(app.get("/hello/x", "Authorization", basic("alf")).statusCode())
                    .isEqualTo(429);
            assertThat(app.get("/hello/x", "Authorization", basic("bob")).statusCode())
                    .isEqualTo(200);
            assertThat(app.get("/hello/x").statusCode()).isEqualTo(200);
            assertThat(app.statuses(2, "GET", "/by-rule", "X-Tenant", "d")).containsExactly(200, 429);
            assertThat(app.get("/by-rule", "X-Tenant", "e").statusCode()).isEqualTo(200);
        }
        assertThat(READ.get()).as("nothing uses it").isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void anAttributeThatNothingSetsIsNamedAtStart(Stack stack, CapturedOutput output) {
        try (RunningApp app = stack.start(
                List.of(LoginApp.class, stack == Stack.SERVLET ? ServletAttributes.class : FluxAttributes.class),
                "sluice.rules[0].name=by-tenant",
                "sluice.rules[0].key=tennant",
                "sluice.rules[0].limits=1 per 1h",
                "sluice.rules[1].name=for-methods",
                "sluice.rules[1].when.caller=method",
                "sluice.rules[1].limits=1 per 1h",
                "sluice.rules[2].name=for-routes",
                "sluice.rules[2].when.caller=gateway",
                "sluice.rules[2].key=api",
                "sluice.rules[2].limits=1 per 1h",
                "sluice.rules[3].name=for-method-keys",
                "sluice.rules[3].when.caller=method",
                "sluice.rules[3].key=account",
                "sluice.rules[3].limits=1 per 1h")) {
            assertThat(output)
                    .containsOnlyOnce(
                            "rule 'by-tenant': nothing sets the attribute 'tennant'; did you mean 'tenant'?; a bean of type "
                                    + "RuleAttribute would")
                    .doesNotContain("rule 'for-");
            assertThat(app.statuses(3, "GET", "/hello")).containsOnly(200);
            app.bean(RuleRegistry.class)
                    .replace(RuleFile.parse("rules", "rules: [{ name: by-tenant, key: [rool], limits: [1 per 1h] }]"));
            app.get("/hello");
            assertThat(output).containsOnlyOnce("nothing sets the attribute 'rool'");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Taken {
        @Bean
        RuleAttribute<Object> path() {
            return RuleAttribute.of("path", request -> "/");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aNameThatIsTakenKeepsTheApplicationFromStarting(Stack stack) {
        assertThatThrownBy(() -> stack.start(List.of(LoginApp.class, Taken.class), RULES))
                .rootCause()
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageContaining("the attribute 'path' of ")
                .hasMessageContaining(" is one that every request has; give it another name");
    }
}
