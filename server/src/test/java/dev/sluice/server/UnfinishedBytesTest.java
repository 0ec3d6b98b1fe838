package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.web.Bounds;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that clients begin and do not finish take bounded memory. */
@Timeout(60)
class UnfinishedBytesTest {
    private static final String GRPC = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    private static final int ALL = 1 << 20;
    private static final int OF_A_CONNECTION = 300 << 10;
    private static final int PART = 10 << 10;
    /** Far more than a connection may have, with what is on its way. */
    private static final int MANY = 100;

    private final Service service = new Service(Service.settings("rules: []")
            .bounds(Bounds.DEFAULTS
                    .withRequestTimeout(Duration.ofSeconds(30))
                    .withUnfinishedBytes(ALL, OF_A_CONNECTION)));
    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        service.close();
    }

    /** One HTTP/2 connection with streams whose bodies do not end. */
    private final class Client {
        private final HttpClient http = vertx.createHttpClient(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));
        private final List<CompletableFuture<HttpClientResponse>> responses = new ArrayList<>();
        private final CompletableFuture<Void> closed = new CompletableFuture<>();

        /** Returns when the body so far is on its way, which the window of the connection delays until the server has read. */
        void begin(String path, int bytes) throws Exception {
            HttpClientRequest request = wait(http.request(HttpMethod.POST, service.port(), "127.0.0.1", path));
            HttpConnection connection = request.connection();
            connection.closeHandler(gone -> closed.complete(null));
            boolean grpc = path.equals(GRPC);
            request.putHeader("content-type", grpc ? "application/grpc" : "application/json");
            request.putHeader("content-length", "200005");
            Buffer body = grpc
                    ? Buffer.buffer().appendByte((byte) 0).appendInt(200_000).appendBytes(new byte[bytes])
                    : Buffer.buffer(new byte[bytes]);
            responses.add(request.response().toCompletionStage().toCompletableFuture());
            wait(request.write(body));
        }

        /** The answers that have arrived: each stream's on a thread of its own, perhaps after the connection closed. */
        List<String> answers() {
            return responses.stream()
                    .filter(each -> each.isDone() && !each.isCompletedExceptionally())
                    .map(CompletableFuture::join)
                    .map(response -> response.statusCode() + " " + response.getHeader("grpc-status"))
                    .toList();
        }

        private static <T> T wait(Future<T> future) throws Exception {
            return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/check", "/json", GRPC})
    void aConnectionBeyondItsShareIsClosed(String path) throws Exception {
        Client client = new Client();
        int streams = 0;
        while (!client.closed.isDone() && streams < MANY) {
            try {
                client.begin(path, PART);
            } catch (Exception closed) {
                break;
            }
            streams++;
        }
        client.closed.get(20, TimeUnit.SECONDS);
        assertThat(streams).isLessThan(MANY);
        String refusal = path.equals(GRPC) ? "200 8" : "503 null";
        Eventually.holds(
                "the client is told",
                Duration.ofSeconds(10),
                () -> client.answers().contains(refusal),
                () -> "" + client.answers());
        assertThat(client.answers()).containsOnly(refusal);
        client.http.close();
        Eventually.holds(
                "nothing is kept", Duration.ofSeconds(10), () -> metric("bytes") == 0, () -> "" + metric("bytes"));
        assertThat(metric("refused_total")).isGreaterThanOrEqualTo(1);
        assertThat(service.post("{'attributes': {'ip': '203.0.113.9'}}").statusCode())
                .isEqualTo(200);
    }

    private double metric(String name) {
        String prefix = name.equals("bytes") ? "sluice_bodies_unfinished_bytes" : "sluice_bodies_" + name;
        URI metrics = URI.create("http://127.0.0.1:" + service.server().adminPort() + "/metrics");
        return service.send(HttpRequest.newBuilder(metrics))
                .body()
                .lines()
                .filter(line -> line.startsWith(prefix + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(prefix.length())))
                .findFirst()
                .orElseThrow();
    }

    /** When all together are too many, the one with the most goes, and those who finish what they send do not notice. */
    @Test
    void theLargestGoesFirst() throws Exception {
        Client small = new Client();
        small.begin("/json", 1000);
        List<Client> large = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Client client = new Client();
            large.add(client);
            for (int part = 0; part < 15 && !client.closed.isDone(); part++) {
                try {
                    client.begin("/v1/check", PART);
                } catch (Exception closed) {
                    break;
                }
                assertThat(service.post("{'attributes': {'ip': '203.0.113.9'}}").statusCode())
                        .isEqualTo(200);
            }
        }
        Eventually.holds(
                "some are closed",
                Duration.ofSeconds(10),
                () -> large.stream().anyMatch(client -> client.closed.isDone()));
        assertThat(small.closed).isNotDone();
        assertThat(metric("bytes")).isLessThanOrEqualTo(ALL);
    }
}
