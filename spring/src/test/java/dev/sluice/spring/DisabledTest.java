package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.client.ClientRateLimitFilters;
import dev.sluice.spring.client.ClientRateLimitInterceptors;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import reactor.core.publisher.Mono;

/** With {@code sluice.enabled: false} everything can be injected, and nothing is limited. */
@Tag("full")
class DisabledTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Api.class, Uses.class})
    static class App {
        @Bean
        ClientHttpRequestInterceptor github(ClientRateLimitInterceptors interceptors) {
            return interceptors.forRule("github");
        }

        @Bean
        ExchangeFilterFunction gitlab(ClientRateLimitFilters filters) {
            return filters.forRule("gitlab");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Open {
        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OpenFlux {
        @Bean
        SecurityWebFilterChain open(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }
    }

    record Uses(RuleRegistry registry, RuleEngine engine, Store store, RuleSet rules) {}

    @RestController
    static class Api {
        @GetMapping("/hello")
        @RateLimit(value = "1 per 1h", key = "#nobody.knows")
        public Mono<String> hello() {
            return Mono.just("hello");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void everythingInjectsAndNothingIsLimited(WebApplicationType type) {
        try (RunningApp app = RunningApp.start(
                type,
                List.of(App.class, type == WebApplicationType.SERVLET ? Open.class : OpenFlux.class),
                "sluice.enabled=false",
                "sluice.store=redis://127.0.0.1:1",
                "management.endpoints.web.exposure.include=sluice,health",
                "management.health.redis.enabled=false",
                "sluice.rules[0].name=github",
                "sluice.rules[0].limits=1 per 1h",
                "sluice.rules[1].name=hello",
                "sluice.rules[1].limits=1 per 1h")) {
            assertThat(app.statuses(5, "GET", "/hello")).containsOnly(200);
            assertThat(app.get("/hello").headers().firstValue("RateLimit")).isEmpty();
            Uses uses = app.bean(Uses.class);
            assertThat(uses.store()).isNotInstanceOf(RedisStore.class);
            for (int i = 0; i < 5; i++) {
                assertThat(uses.engine()
                                .check(List.of(new RuleCheck(
                                        "github", Request.builder().build())))
                                .join()
                                .allowed())
                        .isTrue();
                assertThat(uses.engine().check(Request.builder().build()).join().allowed())
                        .isTrue();
            }
            assertThat(app.get("/actuator/sluice").body()).contains("\"enabled\":false", "\"status\":\"UP\"");
            assertThat(app.get("/actuator/health").statusCode()).isEqualTo(200);
        }
    }

    /** As on a developer's machine, which has not the file that is on the servers. */
    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void rulesThatCannotBeReadDoNotMatter(WebApplicationType type) {
        try (RunningApp app = RunningApp.start(
                type,
                List.of(App.class, type == WebApplicationType.SERVLET ? Open.class : OpenFlux.class),
                "sluice.enabled=false",
                "sluice.rules=/no/such/file.yaml")) {
            assertThat(app.statuses(3, "GET", "/hello")).containsOnly(200);
            assertThat(app.bean(RuleRegistry.class).rule("github")).isNotNull();
        }
    }
}
