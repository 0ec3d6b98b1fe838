package dev.sluice.spring.web.reactive;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.web.Refusal;
import dev.sluice.spring.web.RefusalCustomizer;
import dev.sluice.spring.web.Refusals;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Answers denied WebFlux exchanges. */
public final class ExchangeRefusals {
    private final Refusals refusals;

    ExchangeRefusals(ObjectProvider<RefusalCustomizer> customizers) {
        this.refusals = new Refusals(customizers);
    }

    /** Refuses an exchange whose response is not committed. */
    Mono<Void> refuse(Verdict verdict, ServerWebExchange exchange) {
        return refuse(verdict, exchange, exchange.getResponse(), null);
    }

    /**
     * Refuses an exchange whose response is not committed.
     *
     * @param response the response to write to
     * @param status the status, unless a customizer sets another; null for 429
     */
    public Mono<Void> refuse(
            Verdict verdict, ServerWebExchange exchange, ServerHttpResponse response, @Nullable Integer status) {
        Refusal refusal = refusals.of(verdict, new ExchangeAdapter(exchange, null), status);
        byte[] content = Refusals.content(refusal);
        response.getHeaders().clearContentHeaders();
        response.setRawStatusCode(refusal.status());
        refusal.headers().forEach(response.getHeaders()::set);
        if (content == null) {
            return response.setComplete();
        }
        response.getHeaders().setContentLength(content.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(content)));
    }
}
