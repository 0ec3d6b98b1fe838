package dev.sluice.spring.gateway;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.LimitedCallListener.Ending;
import dev.sluice.spring.LimitedCallListener.Kind;
import dev.sluice.spring.LimitedCallListener.Result;
import dev.sluice.spring.RuleRegistry;
import java.util.ArrayList;
import java.util.List;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Tells the registry's listeners of the requests that {@link SluiceRateLimiter} lets go ahead, and of their ends.
 *
 * <p>The gateway's filter asks the limiter without the exchange, and does not say when a request has ended. So this filter,
 * which is around it, puts what is open into Reactor's context, where the limiter adds to it.
 */
final class LimitedRouteFilter implements GlobalFilter, Ordered {
    private static final String OPEN = LimitedRouteFilter.class.getName() + ".open";

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
        return Mono.defer(() -> {
            OpenCalls open = new OpenCalls();
            return chain.filter(exchange)
                    .doOnSuccess(done -> open.end(result(exchange)))
                    .doOnError(failure -> open.end(result(failure)))
                    .doOnCancel(() -> open.end(Result.SUCCESS))
                    .contextWrite(context -> context.put(OPEN, open));
        });
    }

    /** A limit of a route has decided. If it denies, what other limits of the route let go ahead does not run. */
    static void decided(RuleRegistry registry, Verdict verdict, ContextView context) {
        OpenCalls open = context.getOrDefault(OPEN, null);
        if (open == null) {
            return;
        }
        if (verdict.allowed()) {
            open.add(registry.began(Kind.ROUTE, verdict));
        } else {
            open.end(Result.NOT_RUN);
        }
    }

    private static Result result(ServerWebExchange exchange) {
        HttpStatusCode status = exchange.getResponse().getStatusCode();
        return status == null ? Result.SUCCESS : Result.of(status.value());
    }

    /** What the gateway answers is known for its own failures, such as a route that nothing answers on. */
    private static Result result(Throwable failure) {
        return failure instanceof ErrorResponse answer
                ? Result.of(answer.getStatusCode().value())
                : Result.ERROR;
    }

    /** The limits by which one request goes ahead. */
    private static final class OpenCalls {
        private List<Ending> endings = new ArrayList<>();
        private boolean over;

        /** A request may have been cancelled while its limit was asked. */
        void add(Ending ending) {
            synchronized (this) {
                if (!over) {
                    endings.add(ending);
                    return;
                }
            }
            ending.ended(Result.NOT_RUN);
        }

        void end(Result result) {
            List<Ending> ended;
            synchronized (this) {
                over = true;
                ended = endings;
                endings = List.of();
            }
            ended.forEach(ending -> ending.ended(result));
        }
    }
}
