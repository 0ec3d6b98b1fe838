package dev.sluice.spring.web.reactive;

import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.web.ExceptionHandlers;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Refuses an exchange whose handler in WebFlux ended with a {@link RateLimitedException}, or with one that it caused.
 *
 * <p>It comes before advice of the application that handles every exception, and after advice for
 * {@link RateLimitedException}. Handlers in a controller itself come first in any case.
 */
@ControllerAdvice
final class RateLimitedAdvice implements Ordered {
    private final ExchangeRefusals refusals;
    private final ExceptionHandlers handlers;

    RateLimitedAdvice(ExchangeRefusals refusals, ExceptionHandlers handlers) {
        this.refusals = refusals;
        this.handlers = handlers;
    }

    @Override
    public int getOrder() {
        return handlers.orderBeforeCatchAll();
    }

    @ExceptionHandler
    Mono<Void> refuse(RateLimitedException denied, ServerWebExchange exchange) {
        return exchange.getResponse().isCommitted() ? Mono.error(denied) : refusals.refuse(denied.verdict(), exchange);
    }
}
