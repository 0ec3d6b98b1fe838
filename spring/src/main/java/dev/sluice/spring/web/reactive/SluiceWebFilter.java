package dev.sluice.spring.web.reactive;

import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.WebRules;
import dev.sluice.spring.web.CallObservations;
import dev.sluice.spring.web.RequestCharge;
import dev.sluice.spring.web.WebRateLimiter;
import io.micrometer.observation.Observation;
import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Checks every WebFlux exchange against the rules, without blocking a thread, and answers 429 to those over a limit. */
final class SluiceWebFilter implements WebFilter, Ordered {
    private static final int FAILED = 500;

    private final WebRateLimiter limiter;
    private final ReactiveCors cors;
    private final int order;
    private final ExchangeRefusals refusals;

    SluiceWebFilter(WebRateLimiter limiter, ReactiveCors cors, int order, ExchangeRefusals refusals) {
        this.limiter = limiter;
        this.refusals = refusals;
        this.cors = cors;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        WebRules rules = CorsUtils.isPreFlightRequest(exchange.getRequest()) ? null : limiter.rules();
        return (rules == null ? chain.filter(exchange) : check(rules, exchange, chain))
                .contextWrite(context -> context.put(ExchangeAdapter.IN_CONTEXT, exchange));
    }

    private Mono<Void> check(WebRules rules, ServerWebExchange exchange, WebFilterChain chain) {
        Mono<Optional<Principal>> user = limiter.phase() == WebRules.Phase.BEFORE_USER || !rules.needsUser()
                ? Mono.just(Optional.empty())
                : exchange.getPrincipal().map(Optional::of).defaultIfEmpty(Optional.empty());
        return user.flatMap(known -> check(rules, new ExchangeAdapter(exchange, known.orElse(null)), chain));
    }

    private Mono<Void> check(WebRules rules, ExchangeAdapter request, WebFilterChain chain) {
        Request checked = limiter.request(rules, request);
        return checked == null
                ? chain.filter(request.exchange())
                : ReactiveVerdicts.await(
                                limiter.engine(),
                                () -> limiter.check(rules, checked),
                                verdict -> publish(rules, checked, verdict, request))
                        .flatMap(published -> answer(published, request.exchange(), chain));
    }

    /** @param charge what the request took; null if it took nothing */
    private record Published(Verdict verdict, @Nullable RequestCharge charge) {}

    private Published publish(WebRules rules, Request checked, Verdict verdict, ExchangeAdapter request) {
        ServerHttpResponse response = request.exchange().getResponse();
        return new Published(verdict, limiter.publish(rules, checked, verdict, request, response.getHeaders()::set));
    }

    private Mono<Void> answer(Published published, ServerWebExchange exchange, WebFilterChain chain) {
        Verdict verdict = published.verdict;
        if (published.charge != null) {
            return proceed(verdict, published.charge, exchange, chain);
        }
        return verdict.allowed()
                ? chain.filter(exchange)
                : noted(verdict, exchange, cors.apply(exchange, Mono.defer(() -> refusals.refuse(verdict, exchange))));
    }

    private static Mono<Void> noted(Verdict verdict, ServerWebExchange exchange, Mono<Void> answer) {
        if (!RateLimitObservations.isDue(verdict)) {
            return answer;
        }
        return Mono.deferContextual(context -> {
            Observation current = context.<@Nullable Observation>getOrDefault(RateLimitObservations.IN_CONTEXT, null);
            CallObservations.of(current, new ExchangeAdapter(exchange, null)).note(verdict);
            return answer;
        });
    }

    private static Mono<Void> proceed(
            Verdict verdict, RequestCharge charge, ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpResponse response = exchange.getResponse();
        return Mono.usingWhen(
                Mono.just(charge),
                taken -> noted(
                        verdict,
                        exchange,
                        taken.needsStatus() ? ChargedResponse.filter(taken, exchange, chain) : chain.filter(exchange)),
                taken -> Mono.fromFuture(() -> taken.complete(ChargedResponse.status(response))),
                (taken, failure) -> Mono.fromRunnable(() -> fail(taken, response)),
                taken -> Mono.fromRunnable(() -> taken.complete(WebRules.NO_STATUS)));
    }

    /** The response of an error handler, which comes after this, tells what became of the request. */
    private static void fail(RequestCharge charge, ServerHttpResponse response) {
        if (response.isCommitted()) {
            charge.complete(FAILED);
            return;
        }
        if (!charge.needsStatus()) {
            response.beforeCommit(() -> Mono.fromFuture(() -> charge.settle(ChargedResponse.status(response))));
        }
        charge.fail();
    }
}
