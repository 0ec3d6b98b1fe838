package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** A browser can read a refusal, wherever the application has its CORS configuration, and its preflights are free. */
class CorsTest {
    private static final String ORIGIN = "https://shop.example";

    private static CorsConfiguration configuration() {
        CorsConfiguration configuration = new CorsConfiguration();
        configuration.addAllowedOrigin(ORIGIN);
        configuration.addAllowedMethod("*");
        configuration.addExposedHeader("RateLimit");
        configuration.addExposedHeader("Retry-After");
        return configuration;
    }

    @Configuration(proxyBeanMethods = false)
    static class MvcMappings implements WebMvcConfigurer {
        @Override
        public void addCorsMappings(CorsRegistry registry) {
            registry.addMapping("/**").allowedOrigins(ORIGIN).exposedHeaders("RateLimit", "Retry-After");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FluxMappings implements WebFluxConfigurer {
        @Override
        public void addCorsMappings(org.springframework.web.reactive.config.CorsRegistry registry) {
            registry.addMapping("/**").allowedOrigins(ORIGIN).exposedHeaders("RateLimit", "Retry-After");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ServletFilter {
        @Bean
        CorsFilter cors() {
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/**", configuration());
            return new CorsFilter(source);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FluxFilter {
        @Bean
        CorsWebFilter cors() {
            return new CorsWebFilter(exchange -> configuration());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ServletSecurity {
        @Bean
        UrlBasedCorsConfigurationSource corsConfigurationSource() {
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/**", configuration());
            return source;
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.cors(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FluxSecurity {
        @Bean
        org.springframework.web.cors.reactive.CorsConfigurationSource corsConfigurationSource() {
            return exchange -> configuration();
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.cors(Customizer.withDefaults())
                    .authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }
    }

    /** The configuration is the chain's own, and no bean. */
    @Configuration(proxyBeanMethods = false)
    static class ServletSecurityInline {
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.cors(cors -> cors.configurationSource(request -> configuration()))
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FluxSecurityInline {
        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.cors(cors -> cors.configurationSource(exchange -> configuration()))
                    .authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }
    }

    static Stream<Arguments> configurations() {
        return Stream.of(
                Arguments.of(Stack.SERVLET, MvcMappings.class, false),
                Arguments.of(Stack.SERVLET, ServletFilter.class, false),
                Arguments.of(Stack.SERVLET, ServletSecurity.class, true),
                Arguments.of(Stack.SERVLET, ServletSecurityInline.class, true),
                Arguments.of(Stack.WEBFLUX, FluxMappings.class, false),
                Arguments.of(Stack.WEBFLUX, FluxFilter.class, false),
                Arguments.of(Stack.WEBFLUX, FluxSecurity.class, true),
                Arguments.of(Stack.WEBFLUX, FluxSecurityInline.class, true));
    }

    private static RunningApp app(Stack stack, List<Class<?>> classes, boolean security) {
        List<String> properties = new ArrayList<>(List.of(
                "sluice.rules[0].name=all", "sluice.rules[0].key=path", "sluice.rules[0].limits=2 per 1h sliding-log"));
        String[] all = properties.toArray(String[]::new);
        return security ? stack.startWithSecurity(classes, all) : stack.start(classes, all);
    }

    private static HttpResponse<String> preflight(RunningApp app, String path) {
        return app.send("OPTIONS", path, "Origin", ORIGIN, "Access-Control-Request-Method", "GET");
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void aRefusalHasTheHeadersThatABrowserWants(Stack stack, Class<?> configuration, boolean security) {
        try (RunningApp app = app(stack, List.of(LoginApp.class, configuration), security)) {
            for (int i = 0; i < 5; i++) {
                HttpResponse<String> preflight = preflight(app, "/hello");
                assertThat(preflight.statusCode()).isEqualTo(200);
                assertThat(preflight.headers().firstValue("Access-Control-Allow-Origin"))
                        .contains(ORIGIN);
            }
            assertThat(app.statuses(2, "GET", "/hello", "Origin", ORIGIN)).containsOnly(200);
            HttpResponse<String> refused = app.get("/hello", "Origin", ORIGIN);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().allValues("Access-Control-Allow-Origin"))
                    .containsExactly(ORIGIN);
            assertThat(refused.headers().firstValue("Access-Control-Expose-Headers"))
                    .hasValueSatisfying(exposed -> assertThat(exposed).contains("RateLimit", "Retry-After"));
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(app.get("/hello", "Origin", "https://other.example").statusCode())
                    .isIn(403, 429);
            assertThat(app.get("/hello", "Origin", "https://other.example")
                            .headers()
                            .firstValue("Access-Control-Allow-Origin"))
                    .isEmpty();
            assertThat(app.get("/hello").statusCode()).isEqualTo(429);
        }
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.EnumSource
    void anAnnotatedHandlerCountsToo(Stack stack) {
        try (RunningApp app = app(stack, List.of(LoginApp.class), false)) {
            assertThat(app.statuses(2, "GET", "/open", "Origin", ORIGIN)).containsOnly(200);
            HttpResponse<String> refused = app.get("/open", "Origin", ORIGIN);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains(ORIGIN);
        }
    }

    /** Only what Spring itself answers is free: any other OPTIONS is a request like others. */
    @ParameterizedTest
    @org.junit.jupiter.params.provider.EnumSource
    void anyOtherOptionsRequestIsCharged(Stack stack) {
        try (RunningApp app = app(stack, List.of(LoginApp.class), false)) {
            assertThat(app.statuses(3, "OPTIONS", "/hello")).containsExactly(200, 200, 429);
            assertThat(app.send("OPTIONS", "/hello", "Origin", ORIGIN).statusCode())
                    .isEqualTo(429);
        }
    }
}
