package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.util.matcher.PathPatternParserServerWebExchangeMatcher;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** A browser can read a refusal, wherever the application has its CORS configuration, and its preflights are free. */
@Tag("full")
class CorsTest {
    private static final String ORIGIN = "https://shop.example";
    private static final String OTHER = "https://other.example";
    private static final String MAPPED = "/hello/mapped";
    private static final String BEAN = "/hello/bean";
    private static final String INLINE = "/hello/inline";
    private static final List<String> UNREADABLE = List.of(
            "http://[", "http://a:b", "http://a:{p}", "http://a:99999999999", "null", "%", "://", "http://a b", "\\");

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
            registry.addMapping(MAPPED).allowedOrigins(ORIGIN).exposedHeaders("RateLimit", "Retry-After");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FluxMappings implements WebFluxConfigurer {
        @Override
        public void addCorsMappings(org.springframework.web.reactive.config.CorsRegistry registry) {
            registry.addMapping(MAPPED).allowedOrigins(ORIGIN).exposedHeaders("RateLimit", "Retry-After");
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

    /** One chain has the configuration of a bean, the other one of its own. */
    @Configuration(proxyBeanMethods = false)
    static class ServletSecurity {
        @Bean
        UrlBasedCorsConfigurationSource corsConfigurationSource() {
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration(BEAN, configuration());
            return source;
        }

        @Bean
        SecurityFilterChain ofBean(HttpSecurity http) throws Exception {
            return http.securityMatcher(BEAN)
                    .cors(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        SecurityFilterChain inline(HttpSecurity http) throws Exception {
            return http.securityMatcher(INLINE)
                    .cors(cors -> cors.configurationSource(request -> configuration()))
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FluxSecurity {
        @Bean
        org.springframework.web.cors.reactive.CorsConfigurationSource corsConfigurationSource() {
            return exchange -> exchange.getRequest().getPath().value().equals(BEAN) ? configuration() : null;
        }

        @Bean
        SecurityWebFilterChain ofBean(ServerHttpSecurity http) {
            return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher(BEAN))
                    .cors(Customizer.withDefaults())
                    .authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }

        @Bean
        SecurityWebFilterChain inline(ServerHttpSecurity http) {
            return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher(INLINE))
                    .cors(cors -> cors.configurationSource(exchange -> configuration()))
                    .authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }
    }

    /** A configuration that no part of the application asks for: Spring Security looks for another name, or is not there. */
    @Configuration(proxyBeanMethods = false)
    static class ServletUnused {
        @Bean
        CorsConfigurationSource reports() {
            return request -> configuration();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ServletUnusedBySecurity extends ServletUnused {
        @Bean
        SecurityFilterChain ofBean(HttpSecurity http) throws Exception {
            return http.securityMatcher(BEAN + "*")
                    .cors(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        SecurityFilterChain without(HttpSecurity http) throws Exception {
            return http.securityMatcher(INLINE + "*")
                    .cors(AbstractHttpConfigurer::disable)
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    /** The container calls one filter for some paths, and the other one never. */
    @Configuration(proxyBeanMethods = false)
    static class ServletRegistrations {
        @Bean
        CorsFilter unused() {
            return new CorsFilter(request -> configuration());
        }

        @Bean
        FilterRegistrationBean<CorsFilter> off(CorsFilter unused) {
            FilterRegistrationBean<CorsFilter> registration = new FilterRegistrationBean<>(unused);
            registration.setEnabled(false);
            return registration;
        }

        @Bean
        FilterRegistrationBean<CorsFilter> some() {
            FilterRegistrationBean<CorsFilter> registration =
                    new FilterRegistrationBean<>(new CorsFilter(request -> configuration()));
            registration.setName("some");
            registration.addUrlPatterns(BEAN, INLINE + "/*", "*.json");
            return registration;
        }
    }

    /** The container calls one filter for the requests of a servlet, another one by an annotation, and one by a proxy. */
    @Configuration(proxyBeanMethods = false)
    static class ServletRegistrationsOfOtherKinds {
        @Bean
        ServletRegistrationBean<OtherServlet> other() {
            return new ServletRegistrationBean<>(new OtherServlet(), "/other/*");
        }

        @Bean
        FilterRegistrationBean<CorsFilter> ofServlet(ServletRegistrationBean<OtherServlet> other) {
            return new FilterRegistrationBean<>(new CorsFilter(request -> configuration()), other);
        }

        @Bean
        @FilterRegistration(urlPatterns = BEAN)
        CorsFilter annotated() {
            return new CorsFilter(request -> configuration());
        }

        @Bean
        CorsFilter target() {
            return new CorsFilter(request -> configuration());
        }

        @Bean
        DelegatingFilterProxyRegistrationBean proxy() {
            DelegatingFilterProxyRegistrationBean proxy = new DelegatingFilterProxyRegistrationBean("target");
            proxy.addUrlPatterns(INLINE);
            return proxy;
        }
    }

    static final class OtherServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            response.setStatus(200);
        }

        /** For preflight requests that nobody else answers. */
        @Override
        protected void doOptions(HttpServletRequest request, HttpServletResponse response) {
            response.setStatus(200);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FluxUnused {
        @Bean
        org.springframework.web.cors.reactive.CorsConfigurationSource reports() {
            return exchange -> configuration();
        }
    }

    /** Here Spring Security looks for the type. */
    @Configuration(proxyBeanMethods = false)
    static class FluxUnusedBySecurity extends FluxUnused {
        @Bean
        SecurityWebFilterChain without(ServerHttpSecurity http) {
            return http.cors(ServerHttpSecurity.CorsSpec::disable)
                    .authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }
    }

    private static RunningApp app(Stack stack, Class<?> configuration, boolean security) {
        List<Class<?>> classes = List.of(LoginApp.class, configuration);
        String[] rules = {
            "sluice.rules[0].name=all", "sluice.rules[0].key=path", "sluice.rules[0].limits=2 per 1h sliding-log"
        };
        return security ? stack.startWithSecurity(classes, rules) : stack.start(classes, rules);
    }

    private static HttpResponse<String> preflight(RunningApp app, String path) {
        return app.send("OPTIONS", path, "Origin", ORIGIN, "Access-Control-Request-Method", "GET");
    }

    private static void refusalsAreReadable(RunningApp app, String path) {
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> preflight = preflight(app, path);
            assertThat(preflight.statusCode()).isEqualTo(200);
            assertThat(preflight.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains(ORIGIN);
        }
        assertThat(app.statuses(2, "GET", path, "Origin", ORIGIN)).containsOnly(200);
        HttpResponse<String> refused = app.get(path, "Origin", ORIGIN);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().allValues("Access-Control-Allow-Origin")).containsExactly(ORIGIN);
        assertThat(refused.headers().firstValue("Access-Control-Expose-Headers"))
                .hasValueSatisfying(exposed -> assertThat(exposed).contains("RateLimit", "Retry-After"));
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        HttpResponse<String> other = app.get(path, "Origin", OTHER);
        assertThat(other.statusCode()).as("as the application answers").isEqualTo(403);
        assertThat(other.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
        assertThat(app.get(path).statusCode()).isEqualTo(429);
    }

    private static void refusalsHaveNoCors(RunningApp app, String path) {
        for (String origin : List.of(ORIGIN, OTHER)) {
            String own = path + (origin.equals(ORIGIN) ? "" : "x");
            for (int status : List.of(200, 200, 429)) {
                HttpResponse<String> response = app.get(own, "Origin", origin);
                assertThat(response.statusCode()).as(origin).isEqualTo(status);
                assertThat(response.headers().firstValue("Access-Control-Allow-Origin"))
                        .isEmpty();
                assertThat(response.headers().firstValue("RateLimit")).isPresent();
                assertThat(response.headers().firstValue("Retry-After").isPresent())
                        .isEqualTo(status == 429);
            }
        }
    }

    /** Only what Spring itself answers is free: any other OPTIONS is a request like others. */
    @ParameterizedTest
    @EnumSource
    void configuredByMappingsOrByAnnotationOrNotAtAll(Stack stack) {
        Class<?> mappings = stack == Stack.SERVLET ? MvcMappings.class : FluxMappings.class;
        try (RunningApp app = app(stack, mappings, false)) {
            refusalsAreReadable(app, MAPPED);
            assertThat(app.statuses(2, "GET", "/open", "Origin", ORIGIN)).containsOnly(200);
            HttpResponse<String> refused = app.get("/open", "Origin", ORIGIN);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains(ORIGIN);
            assertThat(app.statuses(3, "OPTIONS", "/hello")).containsExactly(200, 200, 429);
            assertThat(app.send("OPTIONS", "/hello", "Origin", ORIGIN).statusCode())
                    .isEqualTo(429);
        }
    }

    @ParameterizedTest
    @EnumSource
    void configuredByAFilter(Stack stack) {
        Class<?> filter = stack == Stack.SERVLET ? ServletFilter.class : FluxFilter.class;
        try (RunningApp app = app(stack, filter, false)) {
            refusalsAreReadable(app, "/hello");
        }
    }

    @ParameterizedTest
    @EnumSource
    void configuredBySpringSecurity(Stack stack) {
        Class<?> security = stack == Stack.SERVLET ? ServletSecurity.class : FluxSecurity.class;
        try (RunningApp app = app(stack, security, true)) {
            refusalsAreReadable(app, BEAN);
            refusalsAreReadable(app, INLINE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSourceThatTheApplicationDoesNotApplyDecidesNothing(Stack stack) {
        boolean servlet = stack == Stack.SERVLET;
        try (RunningApp app = app(stack, servlet ? ServletUnused.class : FluxUnused.class, false)) {
            refusalsHaveNoCors(app, "/hello/x");
        }
        Class<?> security = servlet ? ServletUnusedBySecurity.class : FluxUnusedBySecurity.class;
        try (RunningApp app = app(stack, security, true)) {
            refusalsHaveNoCors(app, BEAN);
            refusalsHaveNoCors(app, INLINE);
        }
    }

    /** Spring answers some of them with 403, and fails on others. */
    @ParameterizedTest
    @EnumSource
    void anOriginThatCannotBeReadMakesNoError(Stack stack) {
        Class<?> mappings = stack == Stack.SERVLET ? MvcMappings.class : FluxMappings.class;
        Class<?> filter = stack == Stack.SERVLET ? ServletFilter.class : FluxFilter.class;
        for (Class<?> configuration : List.of(mappings, filter)) {
            try (RunningApp app = app(stack, configuration, false)) {
                for (String path : List.of("/hello", MAPPED, "/missing")) {
                    app.statuses(2, "GET", path);
                    for (String origin : UNREADABLE) {
                        assertThat(RawHttp.statusLine(app.url(""), "GET", path, "Origin", origin))
                                .as(path + " from " + origin)
                                .matches("HTTP/1.1 (429|403).*");
                    }
                }
            }
        }
    }

    private static MockHttpServletRequest fromOrigin(ServletContext servlets) {
        MockHttpServletRequest request = new MockHttpServletRequest(servlets, "GET", "/hello");
        request.addHeader("Origin", ORIGIN);
        return request;
    }

    /** Its servlet context knows no registrations. */
    @Test
    void refusalsOfMockMvcAreReadable() throws Exception {
        try (RunningApp app = app(Stack.SERVLET, ServletFilter.class, false)) {
            WebApplicationContext context =
                    Objects.requireNonNull(app.bean(DispatcherServlet.class).getWebApplicationContext());
            Filter sluice = Objects.requireNonNull(context.getBean("sluiceFilter", FilterRegistrationBean.class)
                    .getFilter());
            EnumSet<DispatcherType> requests = EnumSet.of(DispatcherType.REQUEST);
            MockMvc mvc = MockMvcBuilders.webAppContextSetup(context)
                    .addFilter(sluice, "sluice", Map.of(), requests, "/*")
                    .addFilter(app.bean(CorsFilter.class), "cors", Map.of(), requests, "/*")
                    .build();
            for (int status : List.of(200, 200, 429)) {
                MockHttpServletResponse response =
                        mvc.perform(CorsTest::fromOrigin).andReturn().getResponse();
                assertThat(response.getStatus()).isEqualTo(status);
                assertThat(response.getHeader("Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
            }
        }
    }

    @Test
    void aFilterThatIsRegisteredDecidesWhereItIs() {
        try (RunningApp app = app(Stack.SERVLET, ServletRegistrations.class, false)) {
            refusalsAreReadable(app, BEAN);
            refusalsAreReadable(app, INLINE);
            refusalsAreReadable(app, "/hello/a.json");
            refusalsHaveNoCors(app, "/hello/other");
        }
        try (RunningApp app = app(Stack.SERVLET, ServletRegistrationsOfOtherKinds.class, false)) {
            refusalsAreReadable(app, "/other/a");
            refusalsAreReadable(app, BEAN);
            refusalsAreReadable(app, INLINE);
            refusalsHaveNoCors(app, "/hello/x");
        }
    }
}
