package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.web.Bounds;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who hangs up while a plain check waits takes nothing, whatever was sent behind it. */
@Timeout(120)
class DirectHangUpTest {
    private static final String RULES = """
            rules:
              - { name: seat, when: { path: /seat }, key: [user], limits: [1 at once], on-exceed: wait up to 5m, lease: 1h }
              - { name: free, when: { path: /free }, key: [user], limits: [1000000 per 1h] }
              - { name: queue, when: { path: /queue }, key: [user], limits: [1 per 20s leaky-bucket capacity=9 queue] }
            """;
    private static final Duration SOON = Duration.ofSeconds(20);

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
    }

    /** A server that waits long for Redis. */
    private static Service on(RedisServer redis) {
        return new Service(Service.settings(RULES)
                .store(redis.url())
                .redis(new ServerSettings.Redis("sluice", Duration.ofSeconds(10))));
    }

    private static long free(Service service, String query) {
        return Service.object(service.get("/v1/check?cost=0&" + query))
                .getJsonArray("limits")
                .getJsonObject(0)
                .getLong("remaining");
    }

    private static String hold(Service service, String user) {
        HttpResponse<String> response = service.get("/v1/check?path=/seat&user=" + user);
        return Service.object(response).getString("hold");
    }

    /** With so many more behind it; closed, or reset. */
    @ParameterizedTest
    @CsvSource({"0,false", "1,false", "3,true", "4,false", "5,true", "100,false", "20000,true"})
    void waitersThatHangUp(int behind, boolean reset) throws Exception {
        try (Service service = Service.with(RULES)) {
            String hold = hold(service, "a");
            for (int i = 0; i < 5; i++) {
                RawClient client = RawClient.of(service);
                client.send(get("/v1/check?path=/seat&user=a"));
                Thread sender = new Thread(() -> {
                    try {
                        client.send(get("/v1/check?path=/free&user=b").repeat(behind));
                    } catch (IOException closed) {
                        // more than the sockets hold
                    }
                });
                sender.start();
                TimeUnit.MILLISECONDS.sleep(20);
                if (reset) {
                    client.socket().setSoLinger(true, 0);
                }
                client.socket().close();
                sender.join();
            }
            Eventually.holds("all are gone", SOON, () -> service.metric("sluice_http_connections{port=\"data\"}") == 1);
            assertThat(service.delete("/v1/holds/" + hold).statusCode()).isEqualTo(204);
            Eventually.holds("nothing is held", SOON, () -> free(service, "path=/seat&user=a") == 1);
            assertThat(free(service, "path=/free&user=b")).isEqualTo(1_000_000);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 100})
    void nginxWhileAQueueDelaysIt(int behind) throws Exception {
        try (Service service = Service.with(RULES)) {
            String nginx = "GET /nginx HTTP/1.1\r\nX-Original-URI: /queue\r\nSluice-Attribute-User: a\r\n\r\n";
            try (RawClient client = RawClient.of(service)) {
                client.send(nginx);
                assertThat(client.next()).isNotNull();
                long before = free(service, "path=/queue&user=a");
                client.send(nginx + get("/v1/check?path=/free&user=b").repeat(behind));
                Eventually.holds("it is in the queue", SOON, () -> free(service, "path=/queue&user=a") == before - 1);
                client.socket().close();
                Eventually.holds("it has left", SOON, () -> free(service, "path=/queue&user=a") == before);
            }
            assertThat(free(service, "path=/free&user=b")).isEqualTo(1_000_000);
        }
    }

    /** Nobody asks on the connection for so long that it is closed: as if the client had gone. */
    @Test
    void aWaiterWhoseConnectionIsIdleForTooLong() throws Exception {
        Bounds bounds = Bounds.DEFAULTS.withIdleTimeout(Duration.ofSeconds(1));
        try (Service service = new Service(Service.settings(RULES).bounds(bounds))) {
            String hold = hold(service, "a");
            try (RawClient client = RawClient.of(service)) {
                client.send(get("/v1/check?path=/seat&user=a"));
                assertThat(client.next()).isNull();
            }
            service.delete("/v1/holds/" + hold);
            Eventually.holds("nothing is held", SOON, () -> free(service, "path=/seat&user=a") == 1);
        }
    }

    /** A request that ended without a response is one, in whatever form it came. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Content-Length: 0\r\n"})
    void itIsCountedOnce(String field) throws Exception {
        try (Service service = Service.with(RULES)) {
            hold(service, "a");
            try (RawClient client = RawClient.of(service)) {
                client.send("GET /v1/check?path=/seat&user=a HTTP/1.1\r\n" + field + "\r\n");
                TimeUnit.MILLISECONDS.sleep(100);
            }
            Eventually.holds(
                    "it is counted",
                    SOON,
                    () -> service.metric("sluice_http_resets_total{port=\"data\"}") == 1,
                    () -> "but " + service.metric("sluice_http_resets_total{port=\"data\"}"));
            assertThat(service.metric("sluice_http_responses_total{port=\"data\",status=\"200\"}"))
                    .isEqualTo(1);
            assertThat(service.metric("sluice_http_connections_opened_total{port=\"data\"}"))
                    .isEqualTo(2);
        }
    }

    /** What Redis takes for them after they have gone is refunded, once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100})
    void whileRedisStandsStill(int behind) throws Exception {
        try (RedisServer redis = RedisServer.start();
                Service service = on(redis)) {
            service.get("/v1/check?path=/free&user=a");
            long before = free(service, "path=/free&user=a");
            List<RawClient> clients = new ArrayList<>();
            redis.pause();
            try {
                for (int i = 0; i < 20; i++) {
                    RawClient client = RawClient.of(service);
                    clients.add(client);
                    client.send(get("/v1/check?path=/free&user=a")
                            + get("/v1/check?path=/seat&user=b").repeat(behind));
                }
                TimeUnit.MILLISECONDS.sleep(200);
                for (RawClient client : clients) {
                    client.socket().close();
                }
                TimeUnit.MILLISECONDS.sleep(200);
            } finally {
                redis.resume();
            }
            Eventually.holds(
                    "all is refunded",
                    SOON,
                    () -> free(service, "path=/free&user=a") == before,
                    () -> free(service, "path=/free&user=a") + " and not " + before);
            assertThat(free(service, "path=/seat&user=b")).isEqualTo(1);
        }
    }

    /** They end their side as the replies of Redis come: what was taken for them was answered, or is refunded. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Content-Length: 0\r\n"}) // directly, and by way of Vert.x
    void asTheDecisionsCome(String field) throws Exception {
        try (RedisServer redis = RedisServer.start();
                Service service = on(redis)) {
            service.get("/v1/check?path=/free&user=a");
            long before = free(service, "path=/free&user=a");
            long answered = 0;
            for (int round = 0; round < 20; round++) {
                List<RawClient> clients = new ArrayList<>();
                redis.pause();
                for (int i = 0; i < 100; i++) {
                    RawClient client = RawClient.of(service);
                    clients.add(client);
                    client.send("GET /v1/check?path=/free&user=a HTTP/1.1\r\n" + field + "\r\n");
                }
                TimeUnit.MILLISECONDS.sleep(20);
                Thread resuming = new Thread(redis::resume);
                resuming.start();
                for (RawClient client : clients) {
                    TimeUnit.MICROSECONDS.sleep(20L * round);
                    client.socket().shutdownOutput();
                }
                for (RawClient client : clients) {
                    answered += client.next() == null ? 0 : 1;
                    client.close();
                }
                resuming.join();
            }
            long expected = before - answered;
            Eventually.holds(
                    "the others are refunded",
                    SOON,
                    () -> free(service, "path=/free&user=a") == expected,
                    () -> free(service, "path=/free&user=a") + " and not " + expected);
        }
    }
}
