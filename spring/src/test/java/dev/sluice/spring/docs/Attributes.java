package dev.sluice.spring.docs;

import dev.sluice.spring.RuleAttribute;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.Authentication;

@Configuration
class Attributes {
    @Bean
    RuleAttribute<HttpServletRequest> tenant() {
        return RuleAttribute.of("tenant", request -> request.getHeader("X-Tenant"));
    }

    @Bean
    RuleAttribute<Object> plan() {
        return RuleAttribute.ofUser("plan", user -> isPro((Authentication) user) ? "pro" : "free");
    }

    private static boolean isPro(Authentication user) {
        return user.getAuthorities().stream().anyMatch(role -> "ROLE_PRO".equals(role.getAuthority()));
    }
}
