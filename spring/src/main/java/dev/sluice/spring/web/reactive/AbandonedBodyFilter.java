package dev.sluice.spring.web.reactive;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Cancels the body of a response that can no longer be written.
 *
 * <p>Spring asks a body for its first element, and only then begins to write. If the client has gone meanwhile, Netty refuses
 * to write without a look at the body, and nobody ever asks for its second element, or cancels it. A limited {@code Flux}
 * in it would hold its permits for ever.
 */
public final class AbandonedBodyFilter implements WebFilter, Ordered {
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpResponse response = exchange.getResponse();
        return chain.filter(exchange.mutate()
                .response(
                        response instanceof ZeroCopyHttpOutputMessage
                                ? new ZeroCopyResponse(response)
                                : new Response(response))
                .build());
    }

    private static <T> Mono<Void> write(Publisher<T> body, Function<Publisher<T>, Mono<Void>> write) {
        if (body instanceof Mono) {
            return write.apply(body); // its only element is its end
        }
        return Mono.defer(() -> {
            AtomicReference<@Nullable Subscription> open = new AtomicReference<>();
            Flux<T> watched = Flux.from(body)
                    .doOnSubscribe(open::set)
                    .doOnTerminate(() -> open.set(null))
                    .doOnCancel(() -> open.set(null));
            return write.apply(watched).doFinally(end -> {
                Subscription abandoned = open.getAndSet(null);
                if (abandoned != null) {
                    abandoned.cancel();
                }
            });
        });
    }

    private static class Response extends ServerHttpResponseDecorator {
        Response(ServerHttpResponse delegate) {
            super(delegate);
        }

        @Override
        public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
            return write(body, super::writeWith);
        }

        @Override
        public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
            return write(body, super::writeAndFlushWith);
        }
    }

    /** A response that can send a file by itself. */
    private static final class ZeroCopyResponse extends Response implements ZeroCopyHttpOutputMessage {
        ZeroCopyResponse(ServerHttpResponse delegate) {
            super(delegate);
        }

        @Override
        public Mono<Void> writeWith(Path file, long position, long count) {
            return ((ZeroCopyHttpOutputMessage) getDelegate()).writeWith(file, position, count);
        }
    }
}
