package dev.sluice.spring.web;

import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Verdict;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Shows the limits of an allowed call in the response to the exchange in Reactor's context, as {@link CallHeaders} does. */
public final class ReactiveCallHeaders {
    private ReactiveCallHeaders() {}

    /** Shows a verdict, if it allows the call, in the context's exchange or else in this thread's servlet request. */
    public static void show(Verdict verdict, ContextView context) {
        if (!(context.getOrDefault(ReactiveCallerContext.EXCHANGE, null) instanceof ServerWebExchange exchange)) {
            CallHeaders.show(verdict);
        } else if (verdict.allowed() && !verdict.decisions().isEmpty()) {
            show(verdict, exchange);
        }
    }

    /** Shows what this thread has {@linkplain CallHeaders#gather gathered}. */
    public static void showGathered(ServerWebExchange exchange) {
        CallHeaders.gathered().forEach(verdict -> show(verdict, exchange));
    }

    /** Calls may run at once, so they are gathered, and the header fields are set when the response leaves. */
    private static void show(Verdict verdict, ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        WebRequestAdapter request = new ExchangeAdapter(exchange, null);
        synchronized (exchange) {
            boolean first = request.attribute(RateLimitAttributes.SHOWN) == null;
            request.attribute(RateLimitAttributes.SHOWN, Refusals.shown(request, verdict));
            if (first && !response.isCommitted()) {
                response.beforeCommit(() -> Mono.fromRunnable(() -> set(request, response)));
            }
        }
    }

    /** A refusal has its own, which tell of these limits, too. */
    private static void set(WebRequestAdapter request, ServerHttpResponse response) {
        Verdict all = (Verdict) request.attribute(RateLimitAttributes.SHOWN);
        if (all != null && request.attribute(RateLimitAttributes.REFUSED) == null) {
            RateLimitHeaders.set(all, response.getHeaders()::set);
        }
    }
}
