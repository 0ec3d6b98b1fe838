package dev.sluice.spring.gateway;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.web.reactive.ExchangeRefusals;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Answers requests that {@link SluiceRateLimiter} denied with the refusal that the rest of the application has.
 *
 * <p>The gateway's filter asks the limiter without the exchange, and ends a denied one with a status and no body. So this
 * filter puts the exchange into Reactor's context, where the limiter leaves the verdict, and writes the refusal when the
 * response is ended.
 */
final class RefusalGlobalFilter implements GlobalFilter, Ordered {
    private static final String EXCHANGE = RefusalGlobalFilter.class.getName() + ".exchange";
    private static final String DENIED = RefusalGlobalFilter.class.getName() + ".denied";

    private final ExchangeRefusals refusals;

    RefusalGlobalFilter(ExchangeRefusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
        return chain.filter(exchange.mutate()
                        .response(new RefusingResponse(exchange, refusals))
                        .build())
                .contextWrite(context -> context.put(EXCHANGE, exchange));
    }

    /** Leaves a verdict for the exchange in the context, if there is one. */
    static void decided(Verdict verdict, ContextView context) {
        ServerWebExchange exchange = context.getOrDefault(EXCHANGE, null);
        if (exchange != null && verdict.allowed()) {
            exchange.getAttributes().remove(DENIED);
        } else if (exchange != null) {
            exchange.getAttributes().put(DENIED, verdict);
        }
    }

    private static final class RefusingResponse extends ServerHttpResponseDecorator {
        private final ServerWebExchange exchange;
        private final ExchangeRefusals refusals;

        RefusingResponse(ServerWebExchange exchange, ExchangeRefusals refusals) {
            super(exchange.getResponse());
            this.exchange = exchange;
            this.refusals = refusals;
        }

        @Override
        public Mono<Void> setComplete() {
            Verdict denied = exchange.getAttribute(DENIED);
            return denied == null || isCommitted()
                    ? super.setComplete()
                    : refusals.refuse(denied, exchange, getDelegate(), status());
        }

        /** What the filter's {@code status-code} says. */
        private @Nullable Integer status() {
            HttpStatusCode status = getStatusCode();
            return status == null ? null : status.value();
        }
    }
}
