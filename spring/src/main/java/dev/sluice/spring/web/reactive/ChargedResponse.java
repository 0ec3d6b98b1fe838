package dev.sluice.spring.web.reactive;

import dev.sluice.spring.WebRules;
import dev.sluice.spring.web.RequestCharge;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * A response that charges its request by the status, after all commit actions of the application, since each of them may
 * change the status.
 *
 * <p>Spring runs commit actions in the order in which they were registered, and none can be taken back. So an action of our
 * own is registered first and again after each of the application's. The last of them charges; the others do nothing. Those
 * registered during the commit do not matter: Spring does not run them.
 */
class ChargedResponse extends ServerHttpResponseDecorator {
    private final RequestCharge charge;
    private final AtomicInteger registered = new AtomicInteger();
    private volatile boolean committing;

    private ChargedResponse(ServerHttpResponse delegate, RequestCharge charge) {
        super(delegate);
        this.charge = charge;
        registerCharge();
    }

    /** Goes on with such a response. */
    static Mono<Void> filter(RequestCharge charge, ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpResponse delegate = exchange.getResponse();
        ChargedResponse response = delegate instanceof ZeroCopyHttpOutputMessage
                ? new ZeroCopy(delegate, charge)
                : new ChargedResponse(delegate, charge);
        return chain.filter(exchange.mutate().response(response).build())
                .onErrorResume(failure -> response.chargeFailedCommit().then(Mono.error(failure)));
    }

    @Override
    public void beforeCommit(Supplier<? extends Mono<Void>> action) {
        super.beforeCommit(action);
        if (!committing) {
            registerCharge();
        }
    }

    private void registerCharge() {
        int place = registered.incrementAndGet();
        super.beforeCommit(() -> {
            committing = true;
            return place == registered.get() ? Mono.fromFuture(() -> charge.settle(status(this))) : Mono.empty();
        });
    }

    /** After a commit action has failed, Spring sends the error page without any: its status will not be known here. */
    private Mono<Void> chargeFailedCommit() {
        return committing ? Mono.fromFuture(() -> charge.settle(WebRules.NO_STATUS)) : Mono.empty();
    }

    static int status(ServerHttpResponse response) {
        HttpStatusCode status = response.getStatusCode();
        return status == null ? 200 : status.value();
    }

    /** A response that can send a file by itself. */
    private static final class ZeroCopy extends ChargedResponse implements ZeroCopyHttpOutputMessage {
        ZeroCopy(ServerHttpResponse delegate, RequestCharge charge) {
            super(delegate, charge);
        }

        @Override
        public Mono<Void> writeWith(Path file, long position, long count) {
            return ((ZeroCopyHttpOutputMessage) getDelegate()).writeWith(file, position, count);
        }
    }
}
