package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.admin.AdminTokens;
import dev.sluice.server.admin.AuditLog;
import dev.sluice.server.envoy.EnvoyFolder;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All that a server answers, together: one set of counters behind every door. */
class MountingTest {
    private static final String RULES = """
            rules:
              - name: per-user
                key: [user]
                limits: [4 per 1h sliding-log]
            """;

    @Test
    void everyDoorLeadsToTheSameCounter() throws Exception {
        try (Service service = Service.with(RULES)) {
            assertThat(service.get("/v1/check?user=a").statusCode()).isEqualTo(200);
            assertThat(service.get("/nginx", "X-Original-URI", "/", "Sluice-Attribute-User", "a")
                            .statusCode())
                    .isEqualTo(204);
            assertThat(json(service, "a").statusCode()).isEqualTo(200);
            assertThat(grpc(service.port(), "any", "user", "a", 2)).containsExactly(Code.OK, Code.OVER_LIMIT);
            assertThat(json(service, "a").statusCode()).isEqualTo(429);
            assertThat(service.get("/nginx", "X-Original-URI", "/", "Sluice-Attribute-User", "a")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(service.get("/v1/check?user=a").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void envoysMayHaveLimitsOfTheirOwnWhichChangeWithTheirFiles(@TempDir Path folder) throws Exception {
        String limits = """
                domain: shop
                descriptors:
                  - key: user
                    rate_limit: { unit: day, requests_per_unit: 1 }
                """;
        Path file = Files.writeString(folder.resolve("limits.yaml"), limits);
        try (Service service = new Service(Service.settings(RULES).envoy(EnvoyFolder.open(folder)))) {
            assertThat(grpc(service.port(), "shop", "user", "a", 2)).containsExactly(Code.OK, Code.OVER_LIMIT);
            assertThat(Service.object(service.get("/v1/check?user=a")).getLong("remaining"))
                    .isEqualTo(3);
            Files.writeString(file, limits.replace("requests_per_unit: 1", "requests_per_unit: 1000000"));
            Eventually.holds(
                    "the new limit is in force",
                    Duration.ofSeconds(30),
                    () -> grpc(service.port(), "shop", "user", "a", 1).contains(Code.OK));
        }
    }

    @Test
    void theAdminPortSeesWhatTheDataPortDoes() {
        try (Service service = Service.with(RULES)) {
            service.get("/v1/check?user=a");
            assertThat(admin(service, "/metrics").body())
                    .contains("sluice_decisions_total")
                    .contains("per-user");
            assertThat(admin(service, "/v1/keys/per-user/a").body()).contains("\"remaining\"");
            assertThat(admin(service, "/playground").body()).contains("Sluice: playground");
        }
    }

    @Test
    void rulesThatArePutTakeEffectAtOnceAndKeepTheCounts() {
        try (Service service = Service.with(RULES)) {
            service.get("/v1/check?user=a");
            HttpResponse<String> put = service.send(HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + service.server().adminPort() + "/v1/rules"))
                    .PUT(BodyPublishers.ofString(RULES.replace("4 per", "2 per"))));
            assertThat(put.statusCode()).isEqualTo(200);
            HttpResponse<String> response = service.get("/v1/check?user=a");
            assertThat(response.headers().firstValue("RateLimit")).hasValue("\"per-user\";r=0;t=3600");
            assertThat(response.headers().firstValue("RateLimit-Policy")).hasValue("\"per-user\";q=2;w=3600");
        }
    }

    @Test
    void nobodyElseReachesTheAdminPortWithoutAToken() {
        ServerSettings open = Service.settings(RULES)
                .at(
                        new ServerSettings.Address(ServerSettings.Address.LOOPBACK, 0),
                        new ServerSettings.Address(ServerSettings.Address.ALL, 0));
        assertThatThrownBy(() -> SluiceServer.start(open))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no token");
        AdminTokens tokens = AdminTokens.parse("alice:0123456789abcdef");
        try (Service service = new Service(open.guarded(tokens, AuditLog.to(OutputStream.nullOutputStream())))) {
            assertThat(admin(service, "/metrics").statusCode()).isEqualTo(401);
            assertThat(service.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                            + service.server().adminPort() + "/metrics"))
                                    .header("Authorization", "Bearer 0123456789abcdef"))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static HttpResponse<String> admin(Service service, String path) {
        return service.send(HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + service.server().adminPort() + path)));
    }

    private static HttpResponse<String> json(Service service, String user) {
        String body = "{'domain': 'any', 'descriptors': [{'entries': [{'key': 'user', 'value': '" + user + "'}]}]}";
        return service.send(
                HttpRequest.newBuilder(service.uri("/json")).POST(BodyPublishers.ofString(Service.json(body))));
    }

    /** What a gRPC client on Envoy's own messages is told, so many times in a row. */
    private static List<Code> grpc(int port, String domain, String key, String value, int times) {
        RateLimitRequest request = RateLimitRequest.newBuilder()
                .setDomain(domain)
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey(key)
                                .setValue(value)))
                .build();
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        try {
            List<Code> codes = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                codes.add(RateLimitServiceGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(20, TimeUnit.SECONDS)
                        .shouldRateLimit(request)
                        .getOverallCode());
            }
            return codes;
        } finally {
            channel.shutdownNow();
        }
    }
}
