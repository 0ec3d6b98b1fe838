package dev.sluice.spring.client;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RuleRegistry;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * The same as {@link ClientRateLimitInterceptors} for a {@code WebClient}, without a thread that waits.
 *
 * <pre>{@code
 * WebClient github = WebClient.builder().filter(filters.forRule("github")).build();
 * }</pre>
 */
public final class ClientRateLimitFilters {
    private final RuleRegistry registry;

    ClientRateLimitFilters(RuleRegistry registry) {
        this.registry = registry;
    }

    /**
     * A filter for the rule of this name.
     *
     * @throws IllegalArgumentException if there is no such rule
     */
    public ExchangeFilterFunction forRule(String rule) {
        OutgoingRule asked = new OutgoingRule(registry, rule);
        return (request, next) -> tried(asked, request, next, 1);
    }

    private static Mono<ClientResponse> tried(
            OutgoingRule rule, ClientRequest request, ExchangeFunction next, int tried) {
        return once(rule, request, next).flatMap(response -> {
            Duration wait = RetryAfterPolicy.USUAL.wait(
                    tried,
                    request.method().name(),
                    response.statusCode().value(),
                    response.headers().asHttpHeaders().getFirst("Retry-After"));
            return wait == null
                    ? Mono.just(response)
                    : response.releaseBody()
                            .then(Mono.delay(wait))
                            .then(Mono.defer(() -> tried(rule, request, next, tried + 1)));
        });
    }

    private static Mono<ClientResponse> once(OutgoingRule rule, ClientRequest request, ExchangeFunction next) {
        Mono<Verdict> verdict = Mono.fromFuture(() -> rule.ask(request.method().name(), request.url()))
                .flatMap(given -> given.allowed() ? Mono.just(given) : Mono.error(rule.over(given)))
                .flatMap(given -> given.delayMicros() == 0
                        ? Mono.just(given)
                        : Mono.delay(Duration.of(given.delayMicros(), ChronoUnit.MICROS))
                                .doOnCancel(() -> rule.refund(given))
                                .thenReturn(given));
        return Mono.usingWhen(
                verdict, given -> next.exchange(request), given -> Mono.fromRunnable(() -> rule.release(given)));
    }
}
