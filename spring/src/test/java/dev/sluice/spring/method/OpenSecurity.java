package dev.sluice.spring.method;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** Lets everybody do everything, whether logged in or not. */
final class OpenSecurity {
    private OpenSecurity() {}

    @Configuration(proxyBeanMethods = false)
    static class Servlet {
        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Flux {
        @Bean
        SecurityWebFilterChain open(ServerHttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }
    }
}
