package dev.sluice.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The body of a response ends with the response, and is cancelled only if it has not ended. */
class AbandonedBodyFilterTest {
    private final List<String> signals = new ArrayList<>();

    private <T> Flux<T> watched(Flux<T> body) {
        return body.doOnCancel(() -> signals.add("cancel")).doOnTerminate(() -> signals.add("end"));
    }

    private static Flux<DataBuffer> buffers() {
        return Flux.just("a", "b")
                .map(text -> DefaultDataBufferFactory.sharedInstance.wrap(
                        text.getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
    }

    /** Writes to a response that passes its body on to {@code server}. */
    private static Mono<Void> write(
            Function<Flux<DataBuffer>, Mono<Void>> server, Function<ServerHttpResponse, Mono<Void>> handler) {
        MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.get("/"));
        exchange.getResponse().setWriteHandler(server);
        return new AbandonedBodyFilter().filter(exchange, filtered -> handler.apply(filtered.getResponse()));
    }

    @Test
    void aBodyThatTheServerDoesNotLookAtIsCancelled() {
        Function<Flux<DataBuffer>, Mono<Void>> gone = body -> Mono.error(new IllegalStateException("gone"));
        Flux<DataBuffer> endless = watched(buffers().concatWith(Flux.never()));
        assertThatThrownBy(() ->
                        write(gone, response -> response.writeWith(endless)).block())
                .hasMessage("gone");
        assertThat(signals).containsExactly("cancel");
        signals.clear();
        Flux<Publisher<DataBuffer>> flushed =
                watched(buffers().<Publisher<DataBuffer>>map(Mono::just).concatWith(Flux.never()));
        assertThatThrownBy(() -> write(gone, response -> response.writeAndFlushWith(flushed))
                        .block())
                .hasMessage("gone");
        assertThat(signals).containsExactly("cancel");
    }

    @Test
    void aBodyThatHasEndedIsNotCancelled() {
        write(body -> body.then(), response -> response.writeWith(watched(buffers())))
                .block();
        assertThat(signals).containsExactly("end");
    }

    @Test
    void aBodyIsCancelledOnce() {
        Flux<DataBuffer> endless = watched(buffers().concatWith(Flux.never()));
        write(body -> body.then(), response -> response.writeWith(endless))
                .subscribe()
                .dispose();
        assertThat(signals).containsExactly("cancel");
    }
}
