package dev.sluice.spring.caller;

import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.web.ShownVerdicts;
import dev.sluice.spring.web.WebRequestAdapter;
import dev.sluice.spring.web.reactive.ExchangeAdapter;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Shows the limits of an allowed call in the response to the exchange in Reactor's context, as {@link CallHeaders} does. */
public final class ReactiveCallHeaders {
    private ReactiveCallHeaders() {}

    /** Shows a verdict, if it allows the call, in the context's exchange or else in this thread's servlet request. */
    public static void show(Verdict verdict, ContextView context) {
        if (!(context.getOrDefault(ExchangeAdapter.IN_CONTEXT, null) instanceof ServerWebExchange exchange)) {
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
            boolean first = !ShownVerdicts.hasCalls(request);
            ShownVerdicts.add(request, verdict);
            if (first && !response.isCommitted()) {
                response.beforeCommit(() -> Mono.fromRunnable(() -> set(request, response)));
            }
        }
    }

    private static void set(WebRequestAdapter request, ServerHttpResponse response) {
        Verdict all = ShownVerdicts.ofAnswer(request);
        if (all != null) {
            RateLimitHeaders.set(all, response.getHeaders()::set);
        }
    }
}
