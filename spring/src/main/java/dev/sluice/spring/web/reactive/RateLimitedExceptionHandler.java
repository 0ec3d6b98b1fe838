package dev.sluice.spring.web.reactive;

import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.web.Refusals;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** Refuses an exchange that ends with a {@link RateLimitedException} outside controllers: in a route or a filter. */
final class RateLimitedExceptionHandler implements WebExceptionHandler, Ordered {
    private final ExchangeRefusals refusals;

    RateLimitedExceptionHandler(ExchangeRefusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 1;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        RateLimitedException denied = Refusals.find(failure);
        return denied == null || exchange.getResponse().isCommitted()
                ? Mono.error(failure)
                : refusals.refuse(denied.verdict(), exchange);
    }
}
