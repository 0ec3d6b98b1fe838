package dev.sluice.spring.docs;

import dev.sluice.spring.client.ClientRateLimitCapabilities;
import feign.Capability;
import org.springframework.context.annotation.Bean;

class GithubFeign {
    @Bean
    Capability limit(ClientRateLimitCapabilities capabilities) {
        return capabilities.forRule("github");
    }
}
