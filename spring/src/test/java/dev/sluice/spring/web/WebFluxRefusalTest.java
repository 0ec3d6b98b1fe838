package dev.sluice.spring.web;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

class WebFluxRefusalTest extends RefusalContract {
    WebFluxRefusalTest() {
        super(WebApplicationType.REACTIVE, RefusalApp.class, Open.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Open {
        @Bean
        SecurityWebFilterChain open(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }
    }
}
