package dev.sluice.spring.gateway;

import java.net.InetSocketAddress;
import java.security.Principal;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

@Configuration
class GatewayKeys {
    @Bean
    @Primary
    KeyResolver apiKey() {
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Api-Key"))
                .switchIfEmpty(Mono.fromSupplier(() -> address(exchange)));
    }

    @Bean
    KeyResolver user() {
        return exchange -> exchange.getPrincipal().map(Principal::getName);
    }

    private static String address(ServerWebExchange exchange) {
        InetSocketAddress remote = exchange.getRequest().getRemoteAddress();
        return remote == null ? "unknown" : remote.getAddress().getHostAddress();
    }
}
