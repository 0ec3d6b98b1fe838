package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.Eventually;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that stops finishes what is under way, and does not wait for ever. */
@Tag("full")
class StoppingTest {
    private static final String RULES = """
            rules:
              - name: paced
                limits: [1 per 1s token-bucket]
                on-exceed: wait up to 1m
              - name: more
                when: { path: /both }
                limits: [1000 per 1h]
            """;

    @Test
    void whatIsUnderWayIsFinished() throws Exception {
        Service service = Service.with(RULES);
        assertThat(service.get("/v1/check").statusCode()).isEqualTo(200);
        try (Socket idle = service.connect()) {
            Service.write(idle, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
            CompletableFuture<HttpResponse<String>> waiting = service.getLater("/v1/check");
            Thread.sleep(200);
            assertThat(waiting).isNotDone();
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(service::close);
            Eventually.holds("nobody else is let in", Duration.ofSeconds(5), () -> {
                try (Socket late = service.connect()) {
                    return !late.isConnected();
                } catch (IOException refused) {
                    return true;
                }
            });
            assertThat(Service.rest(idle)).contains("200 OK");
            assertThat(waiting.join().statusCode()).isEqualTo(200);
            stopped.join();
        }
    }

    /** On a connection of its own, as a balancer asks. */
    private static String get(Service service, String path) {
        try {
            return service.raw("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Until a balancer has noticed, new connections come, and are served. */
    @Test
    void itSaysThatItIsGoingAwayBeforeItGoes() throws Exception {
        Service service = new Service(Service.settings(RULES).drain(Duration.ofSeconds(6)));
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", service.port())
                .usePlaintext()
                .build();
        try {
            assertThat(service.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(health(channel)).containsExactly(8, 1);
            assertThat(service.get("/v1/check").statusCode()).isEqualTo(200);
            CompletableFuture<HttpResponse<String>> waiting = service.getLater("/v1/check");
            long began = System.nanoTime();
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(service::close);
            Eventually.holds(
                    "it is not ready",
                    Duration.ofSeconds(3),
                    () -> get(service, "/readyz").startsWith("HTTP/1.1 503"));
            assertThat(health(channel)).containsExactly(8, 2);
            assertThat(get(service, "/healthz")).startsWith("HTTP/1.1 200 OK");
            assertThat(get(service, "/v1/check?cost=0")).startsWith("HTTP/1.1 200 OK");
            assertThat(stopped).isNotDone();
            assertThat(waiting.join().statusCode()).isEqualTo(200);
            stopped.join();
            assertThat(System.nanoTime() - began)
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(6).toNanos());
            assertThatThrownBy(() -> service.connect().close()).isInstanceOf(IOException.class);
        } finally {
            channel.shutdownNow();
        }
    }

    /** Also the response to a request that came before. */
    @Test
    void clientsOverHttp1AreToldToMove() throws Exception {
        Service service = new Service(Service.settings(RULES).drain(Duration.ofSeconds(8)));
        service.get("/v1/check");
        try (Socket open = service.connect();
                Socket waiting = service.connect()) {
            Service.write(open, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(open.getInputStream().readNBytes(15)).asString().isEqualTo("HTTP/1.1 200 OK");
            Service.write(waiting, "GET /v1/check HTTP/1.1\r\nHost: x\r\n\r\n");
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(service::close);
            Eventually.holds(
                    "it is not ready",
                    Duration.ofSeconds(3),
                    () -> get(service, "/readyz").startsWith("HTTP/1.1 503"));
            Service.write(open, "GET /v1/check?cost=0 HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(Service.rest(open)).containsOnlyOnce("HTTP/1.1 ").containsIgnoringCase("connection: close\r\n");
            assertThat(Service.rest(waiting))
                    .startsWith("HTTP/1.1 200 OK")
                    .containsIgnoringCase("connection: close\r\n");
            assertThat(stopped).as("long before the ports close").isNotDone();
            stopped.join();
        }
    }

    /** What is on its way is served, and so is a connection that was opened later. */
    @Test
    void clientsOverHttp2AreToldToMove() throws Exception {
        Service service = new Service(Service.settings(RULES).drain(Duration.ofSeconds(8)));
        CompletableFuture<Void> stopped;
        try (Socket open = service.connect()) {
            open.getOutputStream().write(Http2Frames.connect().bytes());
            ask(open, 1);
            awaitHead(open, 1);
            stopped = CompletableFuture.runAsync(service::close);
            assertThat(await(open, Http2Frames.GOAWAY).lastStream()).isEqualTo(Integer.MAX_VALUE);
            ask(open, 3);
            awaitHead(open, 3);
            try (Socket late = service.connect()) {
                late.getOutputStream().write(Http2Frames.connect().bytes());
                ask(late, 1);
                assertThat(await(late, Http2Frames.GOAWAY).lastStream()).isEqualTo(Integer.MAX_VALUE);
                awaitHead(late, 1);
            }
            assertThat(stopped).as("long before the ports close").isNotDone();
        }
        stopped.join();
    }

    private static void ask(Socket socket, int stream) throws IOException {
        socket.getOutputStream()
                .write(Http2Frames.more()
                        .request(stream, Http2Frames.END_STREAM, "GET", "/healthz")
                        .bytes());
    }

    private static void awaitHead(Socket socket, int stream) throws IOException {
        assertThat(await(socket, Http2Frames.HEADERS).stream()).isEqualTo(stream);
    }

    private static Http2Frames.Frame await(Socket socket, int type) throws IOException {
        Http2Frames.Frame frame;
        do {
            frame = Objects.requireNonNull(Http2Frames.next(socket.getInputStream()), "closed");
        } while (frame.type() != type);
        return frame;
    }

    /** {@code grpc.health.v1.Health/Check}: field 1 of the response, 1 for SERVING and 2 for NOT_SERVING. */
    private static byte[] health(ManagedChannel channel) {
        MethodDescriptor.Marshaller<byte[]> bytes = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(byte[] value) {
                return new ByteArrayInputStream(value);
            }

            @Override
            public byte[] parse(InputStream stream) {
                try {
                    return stream.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        MethodDescriptor<byte[], byte[]> check = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("grpc.health.v1.Health/Check")
                .setRequestMarshaller(bytes)
                .setResponseMarshaller(bytes)
                .build();
        return ClientCalls.blockingUnaryCall(channel, check, CallOptions.DEFAULT, new byte[0]);
    }

    /** Whoever waits for one rule or for several. */
    @ParameterizedTest
    @ValueSource(strings = {"/v1/check", "/v1/check?path=/both"})
    void whoWaitsForTooLongIsDenied(String path) throws Exception {
        Service service = new Service(Service.settings(RULES).grace(Duration.ofMillis(300)));
        service.get(path);
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(service.getLater(path));
        }
        Thread.sleep(200);
        assertThat(waiting.get(19)).isNotDone();
        service.close();
        assertThat(waiting)
                .allSatisfy(each -> assertThat(each.join().statusCode()).isIn(200, 429))
                .anySatisfy(each -> assertThat(each.join().statusCode()).isEqualTo(429));
    }

    /** A response that a queue delays is not a wait that can be denied. */
    @Test
    void whatTakesTooLongIsCutOff() throws Exception {
        Service service = new Service(Service.settings("""
                        rules: [{ name: queue, limits: [1 per 30s leaky-bucket capacity=5 queue] }]
                        """).grace(Duration.ofMillis(300)));
        service.get("/nginx", "X-Original-URI", "/");
        CompletableFuture<HttpResponse<String>> delayed =
                service.sendLater(HttpRequest.newBuilder(service.uri("/nginx")).header("X-Original-URI", "/"));
        Thread.sleep(200);
        assertThat(delayed).isNotDone();
        service.close();
        assertThatThrownBy(delayed::join).hasCauseInstanceOf(IOException.class);
    }
}
