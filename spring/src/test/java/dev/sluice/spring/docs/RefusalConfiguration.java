package dev.sluice.spring.docs;

import dev.sluice.spring.web.RefusalCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;

@Configuration
class RefusalConfiguration {
    @Bean
    RefusalCustomizer pageForBrowsers() {
        return (refusal, request) -> request.prefers(MediaType.TEXT_HTML)
                ? refusal.withBody(MediaType.TEXT_HTML, "<h1>Too fast</h1><p>Please wait a moment.</p>")
                : refusal;
    }

    @Bean
    RefusalCustomizer closedForMaintenance() {
        return (refusal, request) -> request.rule().equals("maintenance")
                ? refusal.withStatus(503).withHeader("X-Reason", "maintenance")
                : refusal;
    }
}
