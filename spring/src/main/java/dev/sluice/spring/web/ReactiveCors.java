package dev.sluice.spring.web;

import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.cors.reactive.DefaultCorsProcessor;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Does for WebFlux what {@link ServletCors} does for servlets. */
final class ReactiveCors {
    private final Function<ServerWebExchange, Flux<CorsWebFilter>> filters;
    private final Supplier<Stream<CorsConfigurationSource>> sources;
    private final Supplier<Stream<HandlerMapping>> mappings;

    /**
     * @param filters the filters for CORS of an exchange; what one of them has done already is not done again
     * @param sources where the configuration is, if no filter has it
     * @param mappings what adds the headers if the configuration is WebFlux's own
     */
    ReactiveCors(
            Function<ServerWebExchange, Flux<CorsWebFilter>> filters,
            Supplier<Stream<CorsConfigurationSource>> sources,
            Supplier<Stream<HandlerMapping>> mappings) {
        this.filters = filters;
        this.sources = sources;
        this.mappings = mappings;
    }

    /** Adds the headers and goes on with {@code refusal}, unless the origin is not allowed. */
    Mono<Void> apply(ServerWebExchange exchange, Mono<Void> refusal) {
        if (!CorsUtils.isCorsRequest(exchange.getRequest())) {
            return refusal;
        }
        return filters.apply(exchange).collectList().flatMap(found -> {
            Mono<Void> next = Mono.defer(() -> applySources(exchange, refusal));
            for (CorsWebFilter filter : found) {
                Mono<Void> after = next;
                next = Mono.defer(() -> filter.filter(exchange, same -> after));
            }
            return next;
        });
    }

    private Mono<Void> applySources(ServerWebExchange exchange, Mono<Void> refusal) {
        for (CorsConfigurationSource source : sources.get().toList()) {
            CorsConfiguration configuration = source.getCorsConfiguration(exchange);
            if (configuration != null) {
                return new DefaultCorsProcessor().process(configuration, exchange) ? refusal : Mono.empty();
            }
        }
        // A mapping adds the headers when it looks for the handler, which is not called.
        return Flux.fromStream(mappings.get())
                .concatMap(mapping -> mapping.getHandler(exchange).onErrorResume(failure -> Mono.empty()))
                .next()
                .then(Mono.defer(() -> exchange.getResponse().isCommitted() ? Mono.empty() : refusal));
    }
}
