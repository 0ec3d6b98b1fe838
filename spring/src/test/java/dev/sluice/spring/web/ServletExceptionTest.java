package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.web.ExceptionApp.Service;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

@Tag("slow")
class ServletExceptionTest extends ExceptionContract {
    ServletExceptionTest() {
        super(WebApplicationType.SERVLET, ExceptionApp.class, Servlets.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"completion", "execution", "undeclared"})
    void aHandlerForItWinsWhateverWrapsTheException(String wrapper) {
        String path = "/wrapped?in=" + wrapper + "&key=own" + wrapper;
        assertThat(own().get(path).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = own().get(path);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).isEqualTo("mine: once");
    }

    @Test
    void aControllerThatHandlesEveryExceptionDoesNotSeeIt() {
        assertThat(app().get("/careful?key=careful").statusCode()).isEqualTo(200);
        assertRefused(app().get("/careful?key=careful"));
    }

    /** The container dispatches the request again, as an error. */
    @Test
    void aFilterAheadOfAllOthersIsNoExcuse() {
        assertThat(app().get("/early?key=early").statusCode()).isEqualTo(200);
        assertRefused(app().get("/early?key=early"));
    }

    @Test
    void whatWasWrittenBeforeIsDroppedAndOtherHeadersStay() {
        assertThat(app().get("/written?key=written").body()).isEqualTo("half of it once");
        HttpResponse<String> refused = app().get("/written?key=written");
        assertRefused(refused);
        assertThat(refused.body()).startsWith("{").doesNotContain("half");
        assertThat(refused.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(refused.headers().allValues("X-Kept")).containsExactly("a", "b");
    }

    @Test
    void aResponseOnItsWayIsLeftAlone() {
        assertThat(app().get("/committed?key=committed").body()).isEqualTo("half of it once");
        try {
            HttpResponse<String> half = app().get("/committed?key=committed");
            assertThat(half.statusCode()).isEqualTo(200);
            assertThat(half.body()).isEqualTo("half of it ");
        } catch (UncheckedIOException cutOff) {
            assertThat(cutOff).isNotNull();
        }
        assertThat(app().get("/value?key=after").statusCode()).isEqualTo(200);
    }

    @RestController
    static class Writers {
        private final Service service;

        Writers(Service service) {
            this.service = service;
        }

        @GetMapping({"/written", "/committed"})
        void write(@RequestParam("key") String key, HttpServletResponse response) throws IOException {
            response.addHeader("X-Kept", "a");
            response.addHeader("X-Kept", "b");
            response.setHeader("Content-Encoding", "identity");
            response.getWriter().write("half of it ");
            if (key.equals("committed")) {
                response.flushBuffer();
            }
            response.getWriter().write(service.once(key));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Writers.class)
    static class Servlets {
        @Bean
        FilterRegistrationBean<Filter> early(Service service) {
            FilterRegistrationBean<Filter> filter = limiting(service, "/early");
            filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return filter;
        }

        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        RouterFunction<ServerResponse> routes(Service service) {
            return RouterFunctions.route()
                    .GET("/function", request -> ServerResponse.ok().body(service.once(key(request))))
                    .GET(
                            "/function-later",
                            request -> ServerResponse.async(CompletableFuture.supplyAsync(
                                    () -> ServerResponse.ok().body(service.once(key(request))))))
                    .build();
        }

        private static String key(ServerRequest request) {
            return request.param("key").orElseThrow();
        }

        @Bean
        FilterRegistrationBean<Filter> limited(Service service) {
            return limiting(service, "/filter");
        }

        private static FilterRegistrationBean<Filter> limiting(Service service, String path) {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) -> {
                service.once(request.getParameter("key"));
                response.getWriter().write("once");
            });
            filter.addUrlPatterns(path);
            filter.setName(path);
            return filter;
        }
    }
}
