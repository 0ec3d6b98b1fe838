package dev.sluice.spring.web.reactive;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
    private static final Logger LOG = LoggerFactory.getLogger(ReactiveCors.class);

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
        if (!isCors(exchange)) {
            return refusal;
        }
        return Mono.defer(() -> applyFilters(exchange))
                .flatMap(passed -> passed ? applyMappings(exchange) : Mono.just(false))
                .onErrorResume(RuntimeException.class, unreadable -> {
                    LOG.debug("a refusal has no CORS headers", unreadable);
                    return Mono.just(true);
                })
                .flatMap(passed -> passed ? refusal : exchange.getResponse().setComplete());
    }

    /** An origin that cannot be read is left to what answers for the application. */
    private static boolean isCors(ServerWebExchange exchange) {
        try {
            return CorsUtils.isCorsRequest(exchange.getRequest());
        } catch (IllegalArgumentException | IllegalStateException unreadable) {
            return true;
        }
    }

    /** Emits whether all filters go on with the exchange. */
    private Mono<Boolean> applyFilters(ServerWebExchange exchange) {
        return filters.apply(exchange)
                .concatMap(filter -> {
                    AtomicBoolean passed = new AtomicBoolean();
                    return filter.filter(exchange, same -> Mono.fromRunnable(() -> passed.set(true)))
                            .then(Mono.fromSupplier(passed::get));
                })
                .all(passed -> passed);
    }

    /** A mapping adds the headers when it looks for the handler, which is not called, or refuses the origin. */
    private Mono<Boolean> applyMappings(ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        return Flux.fromStream(mappings.get())
                .concatMap(mapping -> mapping.getHandler(exchange).onErrorResume(failure -> Mono.empty()))
                .next()
                .then(Mono.fromSupplier(
                        () -> response.getStatusCode() != HttpStatus.FORBIDDEN && !response.isCommitted()));
    }
}
