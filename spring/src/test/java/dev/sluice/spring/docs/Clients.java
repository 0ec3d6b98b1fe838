package dev.sluice.spring.docs;

import dev.sluice.spring.client.ClientRateLimitFilters;
import dev.sluice.spring.client.ClientRateLimitInterceptors;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

@Configuration
class Clients {
    interface Zen {
        @GetExchange("/zen")
        String zen();
    }

    @Bean
    RestClient github(ClientRateLimitInterceptors interceptors) {
        return RestClient.builder()
                .baseUrl("https://api.github.com")
                .requestInterceptor(interceptors.forRule("github"))
                .build();
    }

    @Bean
    Zen zen(RestClient github) {
        return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(github))
                .build()
                .createClient(Zen.class);
    }

    @Bean
    RestTemplate template(ClientRateLimitInterceptors interceptors) {
        RestTemplate template = new RestTemplate();
        template.getInterceptors().add(interceptors.forRule("github"));
        return template;
    }

    @Bean
    WebClient gitlab(ClientRateLimitFilters filters) {
        return WebClient.builder().filter(filters.forRule("gitlab")).build();
    }
}
