package dev.sluice.spring.client;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.ReactiveVerdicts;
import java.time.Duration;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Makes filters that limit the calls of a {@code WebClient} by a rule, as {@link ClientRateLimitInterceptors} does, without
 * blocking a thread.
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
     * @throws dev.sluice.spring.RateLimitConfigurationException if there is no such rule
     */
    public ExchangeFilterFunction forRule(String rule) {
        OutgoingRule asked = new OutgoingRule(registry, rule, "ClientRateLimitFilters.forRule");
        return (request, next) -> tried(asked, request, next, 1);
    }

    private static Mono<ClientResponse> tried(
            OutgoingRule rule, ClientRequest request, ExchangeFunction next, int tried) {
        return once(rule, request, next).flatMap(response -> {
            Duration wait = RetryAfterPolicy.wait(
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
        Mono<Verdict> verdict = Mono.defer(() -> ReactiveVerdicts.await(
                        rule.engine(), rule.check(request.method().name(), request.url())))
                .flatMap(given -> given.allowed() ? Mono.just(given) : Mono.error(OutgoingRule.denied(given)));
        return Mono.usingWhen(
                verdict,
                given -> next.exchange(request),
                given -> Mono.fromRunnable(() -> rule.engine().release(given)));
    }
}
