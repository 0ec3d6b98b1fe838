package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.envoy.file.EnvoyConfig;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two servers on one Redis, asked over gRPC. */
final class EnvoyLimitsOnRedisTest {
    private static final String CONFIG = """
            domain: d
            descriptors:
              - { key: a, rate_limit: { unit: year, requests_per_unit: 5 } }
              - { key: b, rate_limit: { unit: year, requests_per_unit: 9 } }
            """;

    private static RedisServer redis;

    @BeforeAll
    static void startRedis() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void forget() {
        redis.command("FLUSHALL");
    }

    @Test
    void theyShareWhatTheyCount() throws Exception {
        try (Store one = store();
                Store other = store();
                RlsServer first = server(one, OnFailure.LOCAL);
                RlsServer second = server(other, OnFailure.LOCAL)) {
            assertThat(ask(first, "a=1 x3 ; b=1")).isEqualTo("OK: 2/5, 8/9");
            assertThat(ask(second, "a=1")).isEqualTo("OK: 1/5");
            assertThat(ask(second, "a=1 x0")).isEqualTo("OK: 1/5");
            assertThat(ask(first, "a=1 x2 ; b=1")).isEqualTo("OVER_LIMIT: 0/5, OK 7/9");
            assertThat(ask(second, "a=1 x0")).as("over stays over").isEqualTo("OVER_LIMIT: 0/5");
            assertThat(ask(second, "a=2")).isEqualTo("OK: 4/5");
            assertThat(ask(first, "x=1 x3 @4/YEAR")).isEqualTo("OK: 1/4");
            assertThat(ask(second, "x=1 x3 @4/YEAR")).isEqualTo("OVER_LIMIT: 0/4");
        }
    }

    @Test
    void whatIsOverCostsNoMoreRoundTrips() throws Exception {
        try (RedisStore store = store();
                RlsServer server = server(store, OnFailure.LOCAL)) {
            ask(server, "a=1 x6");
            ask(server, "a=1");
            long asked = store.counters().asked();
            for (int i = 0; i < 50; i++) {
                assertThat(ask(server, "a=1")).isEqualTo("OVER_LIMIT: 0/5");
            }
            assertThat(store.counters().asked()).isEqualTo(asked);
        }
    }

    @ParameterizedTest
    @CsvSource({"ALLOW, OK: 5/5", "DENY, OVER_LIMIT: 0/5", "LOCAL, OK: 4/5"})
    void aStoreThatDoesNotAnswer(OnFailure policy, String answer) throws Exception {
        try (Store store = RedisStore.connect("redis://127.0.0.1:" + RedisServer.freePort());
                RlsServer server = server(store, policy)) {
            assertThat(ask(server, "a=1")).isEqualTo(answer);
        }
    }

    /** With a timeout that a busy machine keeps. */
    private static RedisStore store() {
        return RedisStore.builder()
                .url(redis.url())
                .timeout(Duration.ofSeconds(5))
                .build();
    }

    private static RlsServer server(Store store, OnFailure onFailure) throws Exception {
        return new RlsServer(new EnvoyLimits(store, onFailure, EnvoyConfig.parse(Map.of("d.yaml", CONFIG))));
    }

    /** The answer, without what depends on the time of year. */
    private static String ask(RlsServer server, String descriptors) {
        RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("d");
        for (String descriptor : descriptors.split(" ; ", -1)) {
            request.addDescriptors(Trace.descriptor(descriptor));
        }
        RateLimitResponse response = server.client().shouldRateLimit(request.build());
        return Trace.show(response).replaceAll(" YEAR \\d+s", "");
    }
}
