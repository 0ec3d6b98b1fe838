package dev.sluice.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RunningApp;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.util.List;
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
                "sluice.rules[0].limits[0]=2 per 1h");
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
