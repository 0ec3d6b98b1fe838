package dev.sluice.spring.web;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.WebRules;
import io.micrometer.observation.Observation;
import java.security.Principal;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Checks every WebFlux exchange against the rules, as {@link SluiceFilter} does, without blocking a thread. */
final class SluiceWebFilter implements WebFilter, Ordered {
    private final WebRateLimiter limiter;
    private final int order;
    private final ExchangeRefusals refusals;

    SluiceWebFilter(WebRateLimiter limiter, int order, ExchangeRefusals refusals) {
        this.limiter = limiter;
        this.refusals = refusals;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        WebRules rules = limiter.rules();
        return (rules == null ? chain.filter(exchange) : check(rules, exchange, chain))
                .contextWrite(context -> context.put(ReactiveCallerContext.EXCHANGE, exchange));
    }

    private Mono<Void> check(WebRules rules, ServerWebExchange exchange, WebFilterChain chain) {
        Mono<String> user = limiter.phase() == WebRules.Phase.BEFORE_USER || !rules.needsUser()
                ? Mono.just("")
                : exchange.getPrincipal().map(Principal::getName).defaultIfEmpty("");
        return user.flatMap(name -> check(rules, new ExchangeAdapter(exchange, name.isEmpty() ? null : name), chain));
    }

    private Mono<Void> check(WebRules rules, ExchangeAdapter request, WebFilterChain chain) {
        CompletableFuture<Verdict> pending = limiter.check(rules, request);
        return pending == null
                ? chain.filter(request.exchange())
                : ReactiveVerdicts.await(limiter.engine(), pending)
                        .flatMap(verdict -> answer(rules, verdict, request, chain));
    }

    private Mono<Void> answer(WebRules rules, Verdict verdict, ExchangeAdapter request, WebFilterChain chain) {
        ServerHttpResponse response = request.exchange().getResponse();
        RequestCharge charge = limiter.publish(rules, verdict, request, response.getHeaders()::set);
        Mono<Void> answer = charge == null
                ? refusals.refuse(verdict, request.exchange())
                : proceed(charge, request.exchange(), response, chain);
        return RateLimitObservations.isDue(verdict) ? noted(verdict).then(answer) : answer;
    }

    private static Mono<Void> noted(Verdict verdict) {
        return Mono.deferContextual(context -> {
            RateLimitObservations.note(
                    verdict, context.<@Nullable Observation>getOrDefault(RateLimitObservations.IN_CONTEXT, null));
            return Mono.empty();
        });
    }

    private static Mono<Void> proceed(
            RequestCharge charge, ServerWebExchange exchange, ServerHttpResponse response, WebFilterChain chain) {
        if (charge.needsStatus()) {
            response.beforeCommit(() -> Mono.fromFuture(() -> charge.settle(status(response))));
        }
        return Mono.usingWhen(
                Mono.just(charge),
                taken -> chain.filter(exchange),
                taken -> Mono.fromRunnable(() -> taken.complete(status(response))),
                (taken, failure) -> Mono.fromRunnable(() -> taken.complete(500)),
                taken -> Mono.fromRunnable(() -> taken.complete(status(response))));
    }

    private static int status(ServerHttpResponse response) {
        HttpStatusCode status = response.getStatusCode();
        return status == null ? 200 : status.value();
    }
}
