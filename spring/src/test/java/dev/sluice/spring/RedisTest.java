package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Two applications that share their limits, through a URL and through the application's own connection. */
@Tag("slow")
class RedisTest {
    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Api.class, Sightings.class})
    static class App {}

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
        org.springframework.security.web.server.SecurityWebFilterChain open(
                org.springframework.security.config.web.server.ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }
    }

    @RestController
    static class Api {
        @GetMapping("/filtered")
        Mono<String> filtered() {
            return Mono.just("yes");
        }

        @GetMapping("/annotated")
        @RateLimit(value = "3 per 1h", name = "${test.name}")
        public Mono<String> annotated() {
            return Mono.just("yes");
        }

        @GetMapping("/blocking")
        @RateLimit(value = "3 per 1h", name = "${test.name}-blocking")
        public String blocking() {
            return "yes";
        }
    }

    private static RunningApp app(boolean servlet, String... store) {
        String name = (servlet ? "servlet" : "flux") + store.length;
        String[] properties = java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(store),
                        java.util.stream.Stream.of(
                                "test.name=" + name,
                                "sluice.redis.timeout=2s",
                                "spring.threads.virtual.enabled=true",
                                "sluice.rules[0].name=filtered-" + name,
                                "sluice.rules[0].when.path=/filtered",
                                "sluice.rules[0].limits[0]=3 per 1h sliding-log"))
                .toArray(String[]::new);
        return servlet
                ? RunningApp.start(WebApplicationType.SERVLET, List.of(App.class, Open.class), properties)
                : RunningApp.start(WebApplicationType.REACTIVE, List.of(App.class, OpenFlux.class), properties);
    }

    enum Where {
        URL,
        OWN_CONNECTION
    }

    private static String[] store(Where where) {
        return where == Where.URL
                ? new String[] {"sluice.store=" + redis.url()}
                : new String[] {"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port()};
    }

    @ParameterizedTest
    @EnumSource(Where.class)
    void twoApplicationsShareTheirLimits(Where where) {
        try (RunningApp servlet = app(true, store(where));
                RunningApp other = app(true, store(where))) {
            assertThat(servlet.bean(Store.class)).isInstanceOf(RedisStore.class);
            for (String path : List.of("/filtered", "/annotated", "/blocking")) {
                assertThat(servlet.statuses(2, "GET", path)).containsExactly(200, 200);
                assertThat(other.statuses(2, "GET", path)).containsExactly(200, 429);
                assertThat(servlet.get(path).statusCode()).isEqualTo(429);
            }
            String name = "servlet" + store(where).length;
            servlet.bean(Sightings.class)
                    .awaitOfRequests("denied filtered-" + name, "denied " + name, "denied " + name + "-blocking");
        }
    }

    @Test
    void onWebFluxNothingBlocks() {
        try (RunningApp flux = app(false, store(Where.OWN_CONNECTION))) {
            assertThat(flux.bean(Store.class)).isInstanceOf(RedisStore.class);
            for (String path : List.of("/filtered", "/annotated", "/blocking")) {
                assertThat(flux.statuses(4, "GET", path)).containsExactly(200, 200, 200, 429);
            }
            flux.bean(Sightings.class)
                    .awaitOfRequests("denied filtered-flux2", "denied flux2", "denied flux2-blocking");
        }
    }

    @Test
    void aRedisThatIsNotThereKeepsNobodyFromStarting() {
        try (RunningApp app = app(true, "sluice.store=redis://127.0.0.1:1", "a=b", "c=d")) {
            assertThat(app.statuses(4, "GET", "/filtered")).containsExactly(200, 200, 200, 429);
        }
    }
}
