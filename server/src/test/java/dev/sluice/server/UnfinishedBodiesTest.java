package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.web.Bounds;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.StreamResetException;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever does not finish a body is answered when the time for it is over, on every path and over every protocol. */
class UnfinishedBodiesTest {
    private static final Duration TIMEOUT = Duration.ofMillis(400);
    private static final String LATE = "the body was not complete after 400 ms";
    private static final String GRPC = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

    private final Service service =
            new Service(Service.settings("rules: []").bounds(Bounds.DEFAULTS.withRequestTimeout(TIMEOUT)));
    private final Vertx vertx = Vertx.vertx();
    private final HttpClient http2 = vertx.createHttpClient(
            new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        service.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/check", "/json"})
    void overHttp1(String path) throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(socket, "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"attr");
            assertThat(Service.rest(socket))
                    .startsWith("HTTP/1.1 408 Request Timeout")
                    .contains("\"status\":408,\"detail\":\"" + LATE + "\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/check", "/json"})
    void aByteNowAndThenDoesNotHelp(String path) throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(socket, "POST " + path + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
            long began = System.nanoTime();
            while (socket.getInputStream().available() == 0 && System.nanoTime() - began < 15_000_000_000L) {
                Service.write(socket, "1\r\n \r\n");
                Thread.sleep(20);
            }
            assertThat(Service.rest(socket)).startsWith("HTTP/1.1 408 Request Timeout");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/check", "/json"})
    void overHttp2(String path) throws Exception {
        Unfinished call = new Unfinished(path, "application/json", "{\"attr");
        assertThat(call.response().statusCode()).isEqualTo(408);
        assertThat(call.body()).contains("\"status\":408,\"detail\":\"" + LATE + "\"");
        assertThat(call.reset()).as("no error").isZero();
    }

    @Test
    void overGrpc() throws Exception {
        Unfinished call = new Unfinished(GRPC, "application/grpc", "\0\0\0");
        assertThat(call.response().statusCode()).isEqualTo(200);
        assertThat(call.response().getHeader("grpc-status"))
                .as("DEADLINE_EXCEEDED")
                .isEqualTo("4");
        assertThat(URLDecoder.decode(call.response().getHeader("grpc-message"), StandardCharsets.UTF_8))
                .isEqualTo(LATE);
        assertThat(call.reset()).as("no error").isZero();
    }

    /** Of a request that has its response without having sent its end, nothing is kept. */
    @ParameterizedTest
    @ValueSource(strings = {"/healthz", "/v1/check?ip=203.0.113.9", "/nothing"})
    void aStreamThatIsLeftOpenIsReset(String path) throws Exception {
        HttpClientRequest request = get(http2.request(HttpMethod.GET, service.port(), "127.0.0.1", path)
                .toCompletionStage()
                .toCompletableFuture());
        CompletableFuture<Long> reset = new CompletableFuture<>();
        request.exceptionHandler(failure -> reset.complete(((StreamResetException) failure).getCode()));
        request.setChunked(true).sendHead();
        assertThat(get(request.response().toCompletionStage().toCompletableFuture())
                        .statusCode())
                .isEqualTo(path.equals("/nothing") ? 404 : 200);
        assertThat(get(reset)).as("no error").isZero();
    }

    /** Many requests share a connection over HTTP/2, and one that is late is no reason to end the others. */
    @Test
    void othersOnTheConnectionGoOn() throws Exception {
        Unfinished call = new Unfinished(GRPC, "application/grpc", "\0\0\0");
        call.reset();
        HttpClientRequest other = get(http2.request(HttpMethod.GET, service.port(), "127.0.0.1", "/healthz")
                .toCompletionStage()
                .toCompletableFuture());
        assertThat(other.connection()).isSameAs(call.request.connection());
        assertThat(get(other.send().toCompletionStage().toCompletableFuture()).statusCode())
                .isEqualTo(200);
    }

    /** A request over HTTP/2 of which only the beginning is sent. */
    private final class Unfinished {
        private final HttpClientRequest request;
        private final CompletableFuture<Buffer> body;
        private final CompletableFuture<Long> reset = new CompletableFuture<>();

        Unfinished(String path, String type, String begin) throws Exception {
            request = get(http2.request(HttpMethod.POST, service.port(), "127.0.0.1", path)
                    .toCompletionStage()
                    .toCompletableFuture());
            request.exceptionHandler(failure -> reset.complete(((StreamResetException) failure).getCode()));
            body = request.response()
                    .compose(HttpClientResponse::body)
                    .toCompletionStage()
                    .toCompletableFuture();
            request.setChunked(true).putHeader("content-type", type);
            request.write(Buffer.buffer(begin));
        }

        HttpClientResponse response() throws Exception {
            return get(request.response().toCompletionStage().toCompletableFuture());
        }

        String body() throws Exception {
            return get(body).toString();
        }

        long reset() throws Exception {
            return get(reset);
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(15, TimeUnit.SECONDS);
    }
}
