package dev.sluice.spring.web.reactive;

import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Adds the CORS headers that the application is configured for to a response that never reaches the part of it which adds
 * them. Without them a browser hides the response from the script that asked.
 */
final class ReactiveCors {
    private final Function<ServerWebExchange, Flux<CorsWebFilter>> filters;
    private final Supplier<Stream<HandlerMapping>> mappings;

    /**
     * @param filters the filters for CORS of an exchange; what one of them has done already is not done again
     * @param mappings what adds the headers if the configuration is WebFlux's own
     */
    ReactiveCors(Function<ServerWebExchange, Flux<CorsWebFilter>> filters, Supplier<Stream<HandlerMapping>> mappings) {
        this.filters = filters;
        this.mappings = mappings;
    }

    /** Adds the headers and goes on with {@code refusal}, unless the application answers the origin with 403. */
    Mono<Void> apply(ServerWebExchange exchange, Mono<Void> refusal) {
        if (!CorsUtils.isCorsRequest(exchange.getRequest())) {
            return refusal;
        }
        return filters.apply(exchange).collectList().flatMap(found -> {
            Mono<Void> next = Mono.defer(() -> applyMappings(exchange, refusal));
            for (CorsWebFilter filter : found) {
                Mono<Void> after = next;
                next = Mono.defer(() -> filter.filter(exchange, same -> after));
            }
            return next;
        });
    }

    /** A mapping adds the headers when it looks for the handler, which is not called, or refuses the origin. */
    private Mono<Void> applyMappings(ServerWebExchange exchange, Mono<Void> refusal) {
        ServerHttpResponse response = exchange.getResponse();
        return Flux.fromStream(mappings.get())
                .concatMap(mapping -> mapping.getHandler(exchange).onErrorResume(failure -> Mono.empty()))
                .next()
                .then(Mono.defer(() -> {
                    boolean forbidden = response.getStatusCode() == HttpStatus.FORBIDDEN;
                    return forbidden || response.isCommitted() ? response.setComplete() : refusal;
                }));
    }
}
