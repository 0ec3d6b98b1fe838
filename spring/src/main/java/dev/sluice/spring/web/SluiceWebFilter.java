package dev.sluice.spring.web;

import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.WebRules;
import io.micrometer.observation.Observation;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The same as {@link SluiceFilter} for WebFlux. It never holds a thread. */
final class SluiceWebFilter implements WebFilter, Ordered {
    private final RuleRegistry registry;
    private final ExcludedPaths excluded;
    private final WebRules.Phase phase;
    private final int order;

    SluiceWebFilter(RuleRegistry registry, ExcludedPaths excluded, WebRules.Phase phase, int order) {
        this.registry = registry;
        this.excluded = excluded;
        this.phase = phase;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        WebRules rules = registry.web();
        boolean idle = rules.isEmpty() || (phase == WebRules.Phase.WITH_USER && !rules.asksUser());
        Mono<Void> answer = idle ? chain.filter(exchange) : asked(rules, exchange, chain);
        return answer.contextWrite(context -> context.put(ReactiveCallerContext.EXCHANGE, exchange));
    }

    private Mono<Void> asked(WebRules rules, ServerWebExchange exchange, WebFilterChain chain) {
        Mono<String> user = phase == WebRules.Phase.BEFORE_USER || !rules.asksUser()
                ? Mono.just("")
                : exchange.getPrincipal().map(Principal::getName).defaultIfEmpty("");
        return user.flatMap(name -> {
            Request asked = new ExchangeAttributes(exchange, name.isEmpty() ? null : name)
                    .request(rules)
                    .build();
            return excluded.contains(asked) ? chain.filter(exchange) : decided(rules, asked, exchange, chain);
        });
    }

    private Mono<Void> decided(WebRules rules, Request asked, ServerWebExchange exchange, WebFilterChain chain) {
        CompletableFuture<Verdict> future = registry.engine().check(asked, rules.in(phase));
        if (future.isDone() && future.join().delayMicros() == 0) {
            return told(rules, future.join(), exchange, chain);
        }
        return Mono.fromFuture(future)
                .publishOn(Schedulers.parallel())
                .flatMap(verdict -> verdict.delayMicros() == 0
                        ? Mono.just(verdict)
                        : Mono.delay(Duration.of(verdict.delayMicros(), ChronoUnit.MICROS))
                                .doOnCancel(() -> registry.engine().refund(verdict))
                                .thenReturn(verdict))
                .flatMap(verdict -> told(rules, verdict, exchange, chain));
    }

    private Mono<Void> told(WebRules rules, Verdict verdict, ServerWebExchange exchange, WebFilterChain chain) {
        return RateLimitObservations.isDue(verdict)
                ? Mono.deferContextual(context -> {
                    RateLimitObservations.note(
                            verdict,
                            context.<@Nullable Observation>getOrDefault(RateLimitObservations.IN_CONTEXT, null));
                    return answered(rules, verdict, exchange, chain);
                })
                : answered(rules, verdict, exchange, chain);
    }

    private Mono<Void> answered(WebRules rules, Verdict verdict, ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpResponse response = exchange.getResponse();
        Verdict earlier = exchange.getAttribute(RateLimitAttributes.VERDICT);
        Verdict all = earlier == null ? verdict : RateLimitAttributes.both(earlier, verdict);
        exchange.getAttributes().put(RateLimitAttributes.VERDICT, all);
        QuotaExceededResponse.headers(all, response.getHeaders()::set);
        if (verdict.allowed()) {
            RequestCharge settlement = new RequestCharge(
                    rules, verdict, () -> exchange.getAttribute(RateLimitAttributes.REFUNDED) != null);
            if (settlement.asksStatus()) {
                response.beforeCommit(() -> Mono.fromFuture(() -> settlement.judge(status(response))));
            }
            return Mono.usingWhen(
                    Mono.just(settlement),
                    given -> chain.filter(exchange),
                    given -> Mono.fromRunnable(() -> given.end(status(response))),
                    (given, failure) -> Mono.fromRunnable(() -> given.end(500)),
                    given -> Mono.fromRunnable(() -> given.end(status(response))));
        }
        registry.engine().release(verdict);
        if (earlier != null) {
            registry.engine().refund(earlier);
            exchange.getAttributes().put(RateLimitAttributes.REFUNDED, true);
        }
        response.setRawStatusCode(QuotaExceededResponse.STATUS);
        response.getHeaders().set("Content-Type", QuotaExceededResponse.TYPE);
        byte[] body = QuotaExceededResponse.body(all).getBytes(StandardCharsets.UTF_8);
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }

    private static int status(ServerHttpResponse response) {
        HttpStatusCode status = response.getStatusCode();
        return status == null ? 200 : status.value();
    }
}
