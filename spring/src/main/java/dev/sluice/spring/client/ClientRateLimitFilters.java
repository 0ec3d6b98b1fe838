package dev.sluice.spring.client;

import dev.sluice.client.RetryRules;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.reactive.ReactiveVerdicts;
import java.time.Duration;
import java.util.List;
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
        return (request, next) -> Mono.defer(() -> {
            RetryRules.Call tries = asked.retries().begin(request.method().name(), name -> {
                String first = request.headers().getFirst(name);
                return first == null ? List.of() : List.of(first);
            });
            return send(asked, request, next, tries);
        });
    }

    private static Mono<ClientResponse> send(
            OutgoingRule rule, ClientRequest request, ExchangeFunction next, RetryRules.Call tries) {
        return once(rule, request, next).flatMap(response -> {
            Duration wait = tries.waitBeforeRetry(
                    response.statusCode().value(), name -> response.headers().header(name));
            return wait == null
                    ? Mono.just(response)
                    : pause(wait, response).then(Mono.defer(() -> send(rule, request, next, tries)));
        });
    }

    /** Waits, and reads the body meanwhile, so that the connection can be used again. One that does not end is given up. */
    private static Mono<Void> pause(Duration wait, ClientResponse refused) {
        Mono<Long> over = Mono.delay(wait).cache();
        return refused.releaseBody().onErrorComplete().takeUntilOther(over).then(over.then());
    }

    private static Mono<ClientResponse> once(OutgoingRule rule, ClientRequest request, ExchangeFunction next) {
        Mono<Verdict> verdict = ReactiveVerdicts.await(
                rule.engine(), () -> rule.check(request.method().name(), request.url()), given -> {
                    if (!given.allowed()) {
                        throw OutgoingRule.denied(given);
                    }
                    return given;
                });
        return Mono.usingWhen(
                verdict,
                given -> next.exchange(request),
                given -> Mono.fromRunnable(() -> rule.engine().release(given)));
    }
}
