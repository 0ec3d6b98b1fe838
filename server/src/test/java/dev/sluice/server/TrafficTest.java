package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.web.Bounds;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections, responses, gRPC codes, bytes and holds in the metrics. */
class TrafficTest {
    private static final String RULES = """
            rules:
              - name: at-once
                when: { path: /reports }
                limits: [2 at once]
              - name: few
                when: { path: /few }
                limits: [1 per 1h]
            """;

    private static final String HEALTH = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final int MAX_CONNECTIONS = 5;

    private final Service service =
            new Service(Service.settings(RULES).bounds(Bounds.DEFAULTS.withConnections(MAX_CONNECTIONS)));

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    void responsesByStatus() throws IOException {
        service.get("/v1/check?path=/few");
        service.get("/v1/check?path=/few");
        service.get("/v1/check?cost=-1");
        service.get("/no-such-path");
        service.post("{'attributes': {'path': '/free', 'more': '" + "x".repeat(1000) + "'}}");
        service.raw("GET / HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
        awaitMetric("sluice_http_responses_total{port=\"data\",status=\"200\"}", 2);
        awaitMetric("sluice_http_responses_total{port=\"data\",status=\"429\"}", 1);
        awaitMetric("sluice_http_responses_total{port=\"data\",status=\"400\"}", 1);
        awaitMetric("sluice_http_responses_total{port=\"data\",status=\"404\"}", 1);
        awaitMetric("sluice_http_responses_total{port=\"data\",status=\"431\"}", 1);
        assertThat(metric("sluice_http_responses_total{port=\"admin\",status=\"200\"}"))
                .isPositive();
        assertThat(metric("sluice_http_received_bytes_total{port=\"data\"}")).isBetween(1000.0, 1200.0);
        assertThat(metric("sluice_http_sent_bytes_total{port=\"data\"}")).isBetween(300.0, 3000.0);
    }

    @Test
    void connectionsOpened() throws IOException {
        try (Socket one = service.connect();
                Socket two = service.connect()) {
            Service.write(one, HEALTH);
            Service.write(two, HEALTH);
            awaitMetric("sluice_http_connections{port=\"data\"}", 2);
            assertThat(metric("sluice_http_connections_opened_total{port=\"data\"}"))
                    .isEqualTo(2);
        }
        awaitMetric("sluice_http_connections{port=\"data\"}", 0);
    }

    /** Each of the first five is served before the next one comes, and each of the others finds no place. */
    @Test
    void connectionsPastTheBoundAreRejected() throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 1; i <= MAX_CONNECTIONS; i++) {
                Socket socket = service.connect();
                sockets.add(socket);
                Service.write(socket, HEALTH);
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
            assertThat(metric("sluice_http_connections_rejected_total")).isZero();
            for (int i = 1; i <= 3; i++) {
                sockets.add(service.connect());
                awaitMetric("sluice_http_connections_rejected_total", i);
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void holds() {
        assertThat(metric("sluice_leases_granted_total")).isZero();
        String hold = Service.object(service.get("/v1/check?path=/reports")).getString("hold");
        service.get("/v1/check?path=/reports");
        assertThat(metric("sluice_leases_granted_total")).isEqualTo(2);
        assertThat(metric("sluice_leases_released_total")).isZero();
        service.delete("/v1/holds/" + hold);
        assertThat(metric("sluice_leases_released_total")).isEqualTo(1);
    }

    @Test
    void grpcCallsByCode() {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", service.port())
                .usePlaintext()
                .build();
        try {
            RateLimitServiceGrpc.RateLimitServiceBlockingStub client =
                    RateLimitServiceGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
            RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("d");
            request.addDescriptorsBuilder().addEntriesBuilder().setKey("path").setValue("/few");
            client.shouldRateLimit(request.build());
            client.shouldRateLimit(request.build());
            try {
                client.shouldRateLimit(RateLimitRequest.getDefaultInstance());
            } catch (StatusRuntimeException expected) {
                assertThat(expected.getStatus().getCode().name()).isEqualTo("INVALID_ARGUMENT");
            }
        } finally {
            channel.shutdownNow();
        }
        assertThat(metric("sluice_grpc_calls_total{code=\"OK\"}")).isEqualTo(2);
        assertThat(metric("sluice_grpc_calls_total{code=\"INVALID_ARGUMENT\"}")).isEqualTo(1);
        assertThat(metric("sluice_check_seconds_count")).isEqualTo(2);
        assertThat(metric("sluice_decisions_total{outcome=\"denied\",rule=\"few\"}"))
                .isEqualTo(1);
    }

    private void awaitMetric(String name, double value) {
        Eventually.holds(
                name + " is " + value,
                Duration.ofSeconds(20),
                () -> metric(name) == value,
                () -> "but " + metric(name));
    }

    private double metric(String name) {
        return service.send(HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + service.server().adminPort() + "/metrics")))
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(-1);
    }
}
