package dev.sluice.spring.docs;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class LoginForm {
    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .formLogin(form -> form.failureHandler((request, response, wrong) -> {
                    response.setStatus(401);
                    response.setContentType("text/html");
                    response.getWriter().println("<p>Wrong password. <a href='/login'>Try again</a></p>");
                }))
                .build();
    }
}
