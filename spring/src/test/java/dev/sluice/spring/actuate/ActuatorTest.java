package dev.sluice.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.RunningApp;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

class ActuatorTest {
    private static final CompletableFuture<String> LATER = new CompletableFuture<>();

    @SuppressWarnings("NullAway.Init")
    private static RunningApp app;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Api.class)
    static class App {
        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @RestController
    static class Api {
        @GetMapping("/hello")
        @RateLimit(value = "3 per 1h", key = "'a/b'")
        public String hello() {
            return "hello";
        }

        @GetMapping("/fails")
        @RateLimit(value = "9 per 1h", name = "fails")
        public String fails() {
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/later")
        @RateLimit(value = "9 per 1h", name = "later")
        public CompletableFuture<String> later() {
            return LATER;
        }

        @GetMapping("/search")
        String search() {
            return "found";
        }
    }

    @BeforeAll
    static void start() {
        app = RunningApp.start(
                WebApplicationType.SERVLET,
                List.of(App.class),
                "sluice.store=memory",
                "sluice.memory=8MB",
                "management.endpoints.web.exposure.include=sluice,health,metrics",
                "management.endpoint.health.show-details=always",
                "management.health.redis.enabled=false",
                "sluice.rules[0].name=hello-per-ip",
                "sluice.rules[0].when.path=/hello",
                "sluice.rules[0].key[0]=ip",
                "sluice.rules[0].limits[0]=2 per 1h",
                "sluice.rules[1].name=failed-logins",
                "sluice.rules[1].when.path=/login",
                "sluice.rules[1].when.status[0]=401",
                "sluice.rules[1].when.status[1]=403",
                "sluice.rules[1].key[0]=ip",
                "sluice.rules[1].limits[0]=10 per 1s token-bucket burst=20",
                "sluice.rules[1].on-exceed=wait up to 2s",
                "sluice.rules[2].name=search",
                "sluice.rules[2].when.path=/search",
                "sluice.rules[2].limits[0]=1 per 1h",
                "sluice.rules[2].on-exceed=degrade",
                "sluice.rules[3].name=fails-per-ip",
                "sluice.rules[3].when.path=/fails",
                "sluice.rules[3].key[0]=ip",
                "sluice.rules[3].limits[0]=9 per 1h");
    }

    /** As they were written: with the condition on the status, which is left out where requests are checked. */
    @Test
    void showsRulesAsARuleFileHasThem() {
        HttpResponse<String> shown = app.get("/actuator/sluice");
        assertThat(shown.statusCode()).isEqualTo(200);
        assertThat(shown.body())
                .contains("\"enabled\":true", "\"status\":\"UP\"", "\"version\":")
                .contains("\"when\":[\"path: /login\",\"status: [401, 403]\"]")
                .contains("\"limits\":[\"10 per 1s token-bucket burst=20\"]")
                .contains("\"onExceed\":\"wait up to 2s\"")
                .contains("name: failed-logins\\nwhen:\\n  path: /login\\n  status: ['401', '403']\\nkey: [ip]\\n")
                .contains("\"from\":\"configuration\"", "Api.hello()\"")
                .doesNotContain("TokenBucket[", "PT");
    }

    @Test
    void degradedIsNotDenied() {
        assertThat(app.statuses(3, "GET", "/search")).containsExactly(200, 200, 200);
        assertThat(count("search", "degraded")).isEqualTo(2);
        assertThat(count("search", "allowed")).isEqualTo(1);
        assertThat(count("search", "denied")).isZero();
    }

    /** Response time, errors and concurrency of what is limited itself. */
    @Test
    void theFiguresOfLimitedMethodsAndRequests() {
        assertThat(app.get("/fails").statusCode()).isEqualTo(500);
        assertThat(ran("method", "fails", "error")).isEqualTo(1);
        assertThat(ran("method", "fails", "success")).isZero();
        assertThat(ran("request", "fails-per-ip", "error")).isEqualTo(1);
        CompletableFuture<HttpResponse<String>> under = CompletableFuture.supplyAsync(() -> app.get("/later"));
        Eventually.holds("it runs", Duration.ofSeconds(10), () -> active("method", "later") == 1);
        LATER.complete("now");
        assertThat(under.join().statusCode()).isEqualTo(200);
        assertThat(active("method", "later")).isZero();
        assertThat(ran("method", "later", "success")).isEqualTo(1);
        assertThat(active("request", "fails-per-ip")).isZero();
    }

    private static long ran(String kind, String rule, String result) {
        Timer timer = app.bean(MeterRegistry.class)
                .get("sluice.limited.calls")
                .tags("kind", kind, "rule", rule, "result", result)
                .timer();
        return timer.count();
    }

    private static double active(String kind, String rule) {
        Gauge gauge = app.bean(MeterRegistry.class)
                .find("sluice.limited.active")
                .tags("kind", kind, "rule", rule)
                .gauge();
        return gauge == null ? -1 : gauge.value();
    }

    private static double count(String rule, String outcome) {
        return app.bean(MeterRegistry.class)
                .get("sluice.decisions")
                .tag("rule", rule)
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    @Test
    void anEarlierVersionIsPutInForceAgain() {
        RuleRegistry registry = app.bean(RuleRegistry.class);
        long before = registry.versions().get(0).number();
        registry.replace(registry.configured());
        String body = "{\"version\":" + before + "}";
        HttpResponse<String> back = app.post("/actuator/sluice", body);
        assertThat(back.statusCode()).isEqualTo(200);
        assertThat(back.body()).contains("\"version\":" + (before + 2), "\"origin\":\"rollback\"");
        assertThat(app.get("/actuator/sluice").body()).contains("\"version\":" + (before + 2) + ",\"rules\"");
        assertThat(app.post("/actuator/sluice", "{\"version\":99}").statusCode())
                .isEqualTo(404);
        assertThat(app.post("/actuator/sluice", "{\"version\":99}").body()).contains("there is no version 99");
        assertThat(app.post("/actuator/sluice", "{\"version\":\"x\"}").statusCode())
                .isEqualTo(400);
        assertThat(app.post("/actuator/sluice", "{}").statusCode()).isEqualTo(400);

        MeterRegistry meters = app.bean(MeterRegistry.class);
        assertThat(meters.get("sluice.rules").gauge().value()).isEqualTo(7);
        assertThat(meters.get("sluice.rules.version").gauge().value()).isEqualTo((double) (before + 2));
        assertThat(meters.get("sluice.rules.bad").gauge().value()).isZero();
        assertThat(meters.get("sluice.rules.changes").functionCounter().count()).isEqualTo((double) (before + 1));
        assertThat(meters.get("sluice.rules.rejections").functionCounter().count())
                .isZero();
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void showsRulesAndKeysAndForgets() {
        assertThat(app.get("/actuator/sluice").body())
                .contains("\"store\":\"memory\"")
                .contains("\"name\":\"hello-per-ip\"")
                .contains("\"name\":\"Api.hello\"");
        assertThat(app.statuses(3, "GET", "/hello")).containsExactly(200, 200, 429);

        HttpResponse<String> state = app.get("/actuator/sluice/hello-per-ip/127.0.0.1");
        assertThat(state.body()).contains("\"allowed\":false", "\"limit\":2", "\"remaining\":0");
        assertThat(app.get("/actuator/sluice/Api.hello/a/b").body()).contains("\"key\":\"a/b\"", "\"remaining\":1");
        assertThat(app.get("/actuator/sluice/no-such-rule/x").statusCode()).isEqualTo(404);

        assertThat(app.send("DELETE", "/actuator/sluice/hello-per-ip/127.0.0.1").body())
                .contains("\"reset\":true");
        assertThat(app.get("/hello").statusCode()).isEqualTo(200);

        MeterRegistry meters = app.bean(MeterRegistry.class);
        assertThat(meters.get("sluice.decisions")
                        .tag("rule", "hello-per-ip")
                        .tag("outcome", "denied")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(meters.get("sluice.decisions")
                        .tag("rule", "Api.hello")
                        .tag("outcome", "allowed")
                        .counter()
                        .count())
                .isEqualTo(3);
    }

    @Test
    void showsTheMemoryOfTheStore() {
        app.get("/hello");
        MeterRegistry meters = app.bean(MeterRegistry.class);
        assertThat(meters.get("sluice.store.bytes.max").gauge().value()).isEqualTo(8 << 20);
        assertThat(meters.get("sluice.store.bytes").gauge().value()).isPositive();
        assertThat(meters.get("sluice.store.keys").gauge().value()).isPositive();
        assertThat(meters.get("sluice.store.at.bound").functionCounter().count())
                .isZero();
    }

    @Test
    void aBadAmountOfMemoryEndsTheStart() {
        assertThatThrownBy(() -> RunningApp.start(
                                WebApplicationType.SERVLET,
                                List.of(App.class),
                                "sluice.store=memory",
                                "sluice.memory=lots")
                        .close())
                .rootCause()
                .hasMessageContaining("sluice.memory: expected a size such as 256MB")
                .hasMessageContaining("was 'lots'");
    }

    @Test
    void tellsTheHealthOfTheStore() {
        HttpResponse<String> health = app.get("/actuator/health/sluice");
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body()).contains("\"status\":\"UP\"", "\"store\":\"memory\"");
    }
}
