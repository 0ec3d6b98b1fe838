package dev.sluice.spring.web;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import reactor.core.publisher.Mono;

class WebFluxTest extends WebContract {
    WebFluxTest() {
        super(WebApplicationType.REACTIVE, WebApp.class, Security.class);
    }

    /** Everybody may do everything, and whoever gives a name and a password gives right ones: each other's equal. */
    @Configuration(proxyBeanMethods = false)
    static class Security {
        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }

        @Bean
        ReactiveUserDetailsService users() {
            return name ->
                    Mono.just(User.withUsername(name).password("{noop}" + name).build());
        }
    }
}
