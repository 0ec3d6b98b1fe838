package dev.sluice.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.client.ClientRateLimitFilters;
import dev.sluice.spring.client.ClientRateLimitInterceptors;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.autoconfigure.data.redis.DataRedisTest;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.autoconfigure.web.client.RestClientTest;
import org.springframework.boot.test.autoconfigure.web.reactive.WebFluxTest;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Slices of an application have all that Sluice has. Most annotations of slices have moved with Spring Boot 4; those that
 * have not are tested on both.
 */
@SuppressWarnings("NullAway.Init")
class SlicesTest {
    static boolean isBoot3() {
        return ClassUtils.isPresent(
                "org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest",
                SlicesTest.class.getClassLoader());
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}

    @RestController
    static class Api {
        @GetMapping("/by-rule")
        String byRule() {
            return "yes";
        }

        @GetMapping("/annotated")
        @RateLimit("1 per 1m")
        public String annotated() {
            return "yes";
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
        SecurityWebFilterChain openFlux(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }
    }

    @TestPropertySource(
            properties = {
                "sluice.rules[0].name=by-rule",
                "sluice.rules[0].when.path=/by-rule",
                "sluice.rules[0].limits=1 per 1m"
            })
    @AutoConfigureSluice
    abstract static class Slice {
        @Autowired
        ApplicationContext context;

        @Test
        void everyDocumentedBeanIsThere() {
            for (Class<?> bean : new Class<?>[] {
                RuleRegistry.class,
                RuleEngine.class,
                Store.class,
                ClientRateLimitInterceptors.class,
                ClientRateLimitFilters.class,
                TestClock.class
            }) {
                assertThat(context.getBeanProvider(bean).getIfAvailable())
                        .as(bean.getName())
                        .isNotNull();
            }
            assertThat(context.getBean(ClientRateLimitInterceptors.class).forRule("by-rule"))
                    .isNotNull();
        }
    }

    @Nested
    @JsonTest
    class Json extends Slice {}

    @Nested
    @EnabledIf("dev.sluice.spring.test.SlicesTest#isBoot3")
    @WebMvcTest(Api.class)
    @Import({Api.class, Open.class})
    class WebMvc extends Slice {
        @Autowired
        MockMvc mvc;

        @RepeatedTest(2)
        void isLimited() throws Exception {
            for (String path : new String[] {"/by-rule", "/annotated"}) {
                mvc.perform(get(path)).andExpect(status().isOk());
                mvc.perform(get(path)).andExpect(status().isTooManyRequests());
            }
        }
    }

    @Nested
    @EnabledIf("dev.sluice.spring.test.SlicesTest#isBoot3")
    @WebFluxTest(Api.class)
    @Import({Api.class, OpenFlux.class})
    class WebFlux extends Slice {
        @Autowired
        WebTestClient client;

        @RepeatedTest(2)
        void isLimited() {
            WebTestClient client =
                    this.client.mutate().responseTimeout(Duration.ofSeconds(30)).build();
            for (String path : new String[] {"/by-rule", "/annotated"}) {
                client.get().uri(path).exchange().expectStatus().isOk();
                client.get().uri(path).exchange().expectStatus().isEqualTo(429);
            }
        }
    }

    @Nested
    @EnabledIf("dev.sluice.spring.test.SlicesTest#isBoot3")
    @RestClientTest
    class RestClients extends Slice {}

    @Nested
    @EnabledIf("dev.sluice.spring.test.SlicesTest#isBoot3")
    @DataRedisTest
    class DataRedis extends Slice {}
}
