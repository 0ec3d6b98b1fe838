package dev.sluice.spring.web;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;

class ServletTest extends WebContract {
    ServletTest() {
        super(WebApplicationType.SERVLET, WebApp.class, Security.class);
    }

    /** Everybody may do everything, and whoever gives a name and a password gives right ones: each other's equal. */
    @Configuration(proxyBeanMethods = false)
    static class Security {
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return name -> User.withUsername(name).password("{noop}" + name).build();
        }
    }
}
