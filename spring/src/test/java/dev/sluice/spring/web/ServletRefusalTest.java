package dev.sluice.spring.web;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

class ServletRefusalTest extends RefusalContract {
    ServletRefusalTest() {
        super(WebApplicationType.SERVLET, RefusalApp.class, Open.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Open {
        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }
}
