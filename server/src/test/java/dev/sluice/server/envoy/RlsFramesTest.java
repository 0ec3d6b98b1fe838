package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.server.envoy.file.EnvoyConfig;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What no gRPC client would send, over plain HTTP/2 connections. */
final class RlsFramesTest {
    private static final String METHOD = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    private static final String OK = "200 0 ";
    private static final String INVALID = "200 3 ";
    private static final String EXHAUSTED = "200 8 ";
    private static final String UNIMPLEMENTED = "200 12 ";
    private static final long SEED = 20_261_115;
    private static final int ROUNDS = 1_000;

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client = vertx.createHttpClient(
            new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));
    private RlsServer server;

    @BeforeEach
    void start() throws Exception {
        server = new RlsServer(
                new EnvoyLimits(Store.local(), OnFailure.LOCAL, EnvoyConfig.parse(Map.of("d.yaml", """
                domain: d
                descriptors:
                  - { key: ip, rate_limit: { unit: year, requests_per_unit: 4000000000 } }
                """))));
    }

    @AfterEach
    void stop() {
        server.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void framesThatAreNone() throws Exception {
        Buffer good = frame(0, good());
        assertThat(send(good)).isEqualTo(OK);
        assertThat(send(Buffer.buffer())).isEqualTo(INVALID + "there must be one message, there were 0 bytes");
        assertThat(send(good.slice(0, 3))).isEqualTo(INVALID + "there must be one message, there were 3 bytes");
        assertThat(send(good.slice(0, 9)))
                .isEqualTo(INVALID + "there must be one message, of 14 bytes as its frame says, there were 4");
        assertThat(send(good.copy().appendBuffer(good)))
                .isEqualTo(INVALID + "there must be one message, of 14 bytes as its frame says, there were 33");
        assertThat(send(Buffer.buffer(new byte[] {0, -1, -1, -1, -1, 1})))
                .isEqualTo(EXHAUSTED + "a message may have 262144 bytes, this one has 4294967295");
        assertThat(send(frame(0, new byte[300 << 10])))
                .isEqualTo(EXHAUSTED + "a message may have 262144 bytes, this one has 307200");
        assertThat(send(frame(0, good()).appendBytes(new byte[300 << 10])))
                .isEqualTo(INVALID + "there must be one message, there was more");
        assertThat(send(frame(7, good()))).isEqualTo(INVALID + "a frame begins with 0 or 1, was 7");
        assertThat(send(frame(0, new byte[] {1, 2, 3}))).startsWith(INVALID + "not a RateLimitRequest: ");
        assertThat(send(good)).as("the server goes on").isEqualTo(OK);
    }

    @Test
    void compression() throws Exception {
        assertThat(send(METHOD, frame(1, gzip(good())), "grpc-encoding", "gzip"))
                .isEqualTo(OK);
        assertThat(send(frame(1, good())))
                .isEqualTo(INVALID + "the message is said to be compressed, but not how: grpc-encoding is missing");
        assertThat(send(METHOD, frame(1, good()), "grpc-encoding", "gzip"))
                .isEqualTo(INVALID + "the message is not gzip");
        assertThat(send(METHOD, frame(1, good()), "grpc-encoding", "zstd"))
                .isEqualTo(UNIMPLEMENTED + "grpc-encoding must be gzip or identity, was zstd");
        assertThat(send(METHOD, frame(1, gzip(new byte[50 << 20])), "grpc-encoding", "gzip"))
                .as("a bomb")
                .isEqualTo(EXHAUSTED + "a message may have 262144 bytes, this one has 262145");
    }

    @Test
    void otherMethodsAndTypes() throws Exception {
        assertThat(send("/a.B/C", frame(0, good()))).isEqualTo(UNIMPLEMENTED + "no such method: /a.B/C");
        assertThat(send("/grpc.health.v1.Health/Check", frame(0, new byte[0]))).isEqualTo(OK);
        assertThat(send(METHOD, frame(0, good()), "content-type", "application/grpc-web"))
                .isEqualTo("415 null null");
        assertThat(send(METHOD, frame(0, good()), "content-type", "application/grpc+proto"))
                .isEqualTo(OK);
    }

    /** Requests with bytes changed, cut off and put in, each of which gets an answer. */
    @Test
    void fuzz() throws Exception {
        Random random = new Random(SEED);
        Buffer good = frame(0, good());
        int answered = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = mutated(good.getBytes(), random);
            String answer = send(Buffer.buffer(bytes));
            assertThat(answer).as("seed " + SEED + ", round " + i).matches("200 (0|3|8|12) .*");
            answered += answer.equals(OK) ? 1 : 0;
        }
        assertThat(answered).as("some are good by chance").isBetween(1, ROUNDS - 1);
        assertThat(send(good)).isEqualTo(OK);
    }

    private static byte[] mutated(byte[] good, Random random) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int cut = random.nextInt(4) == 0 ? random.nextInt(good.length) : good.length;
        for (int i = 0; i < cut; i++) {
            switch (random.nextInt(i < 5 ? 40 : 12)) {
                case 0 -> out.write(random.nextInt(256));
                case 1 -> out.write(good[i] ^ (1 << random.nextInt(8)));
                case 2 -> {
                    out.write(good[i]);
                    out.write(random.nextInt(256));
                }
                default -> out.write(good[i]);
            }
        }
        return out.toByteArray();
    }

    private static byte[] good() {
        return RateLimitRequest.newBuilder()
                .setDomain("d")
                .addDescriptors(Trace.descriptor("ip=1"))
                .build()
                .toByteArray();
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        }
        return out.toByteArray();
    }

    private static Buffer frame(int flag, byte[] message) {
        return Buffer.buffer().appendByte((byte) flag).appendInt(message.length).appendBytes(message);
    }

    private String send(Buffer body) throws Exception {
        return send(METHOD, body);
    }

    /** The status of HTTP, that of gRPC, and what it says. */
    private String send(String path, Buffer body, String... headers) throws Exception {
        return client.request(HttpMethod.POST, server.port(), "127.0.0.1", path)
                .compose(request -> sent(request, body, headers))
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    private static io.vertx.core.Future<String> sent(HttpClientRequest request, Buffer body, String... headers) {
        request.putHeader("content-type", "application/grpc").putHeader("te", "trailers");
        for (int i = 0; i < headers.length; i += 2) {
            request.putHeader(headers[i], headers[i + 1]);
        }
        return request.send(body)
                .compose(response -> response.body().map(read -> {
                    String status = response.getTrailer("grpc-status");
                    if (status != null) {
                        return response.statusCode() + " " + status + " ";
                    }
                    String message = response.getHeader("grpc-message");
                    return response.statusCode() + " " + response.getHeader("grpc-status") + " "
                            + (message == null ? null : URLDecoder.decode(message, StandardCharsets.UTF_8));
                }));
    }
}
