package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a page shows of a running server: {@code /v1/live}, {@code /v1/history}, {@code /v1/figures}. */
@Tag("slow")
class LiveApiTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String STRANGE = "<script>alert(1)</script>";
    private static final String RULES = """
            rules:
              - name: few
                when: { path: /few }
                key: [user]
                limits: [2 per 1h sliding-log]
              - name: watched
                when: { path: /watched }
                limits: [1 per 1h]
                on-exceed: shadow
              - name: degraded
                when: { path: /degraded }
                limits: [1 per 1h]
                on-exceed: degrade
              - name: queue
                when: { path: /queue }
                limits: [1 per 10ms leaky-bucket capacity=9 queue]
              - name: waits
                when: { path: /waits }
                limits: [1 per 50ms]
                on-exceed: wait up to 5s
            """;

    @Test
    void everyOutcomeIsCountedUnderItsRule() {
        try (Service service = Service.with(RULES)) {
            service.get("/v1/check?path=/none");
            for (int i = 0; i < 5; i++) {
                service.get("/v1/check?user=u&path=/few");
                service.get("/v1/check?path=/watched");
                service.get("/v1/check?path=/degraded");
                service.get("/v1/check?path=/queue");
                service.get("/v1/check?path=/waits");
            }
            shows(service, "few", "allowed", 2);
            shows(service, "few", "denied", 3);
            shows(service, "watched", "shadowed", 4);
            shows(service, "degraded", "degraded", 4);
            shows(service, "degraded", "denied", 0);
            shows(service, "waits", "allowed", 5);
            assertThat(sum(series(service, "waits"), "waited")).isBetween(1L, 5L);
            assertThat(sum(series(service, "queue"), "allowed")).isEqualTo(5);
            JsonObject requests = admin(service, "/v1/history").getJsonObject("series");
            assertThat(sum(requests, "allowed")).isEqualTo(22);
            assertThat(sum(requests, "unmatched")).isEqualTo(1);
            assertThat(sum(requests, "denied")).isEqualTo(3);
            assertThat(admin(service, "/v1/history?rule=*")
                            .getJsonObject("totals")
                            .getJsonObject("few"))
                    .isEqualTo(new JsonObject(Service.json("{'allowed': 2, 'denied': 3, 'shadowed': 0, 'waited': 0,"
                            + " 'shed': 0, 'degraded': 0, 'never': 0, 'failed': 0}")));
            JsonObject hour = hour(service);
            assertThat(hour.getLong("good")).isEqualTo(26);
            assertThat(hour.getDouble("availability")).isEqualTo(1);
            assertThat(admin(service, "/v1/figures").getJsonObject("responseMs").getDouble("p50"))
                    .isPositive();
        }
    }

    @Test
    void hotAndLimitedKeysAppearAndAreText() {
        try (Service service = Service.with(RULES)) {
            String key = URLEncoder.encode(STRANGE, StandardCharsets.UTF_8);
            admin(service, "/v1/live");
            Eventually.holds("a hot key and a limited one", PATIENCE, () -> {
                for (int i = 0; i < 60; i++) {
                    service.get("/v1/check?path=/few&user=" + key);
                }
                JsonObject live = admin(service, "/v1/live");
                return isFirst(live.getJsonArray("hotKeys")) && isFirst(live.getJsonArray("limitedKeys"));
            });
            JsonObject live = admin(service, "/v1/live");
            JsonObject hot = live.getJsonArray("hotKeys").getJsonObject(0);
            assertThat(hot.getLong("atLeast")).isGreaterThanOrEqualTo(100);
            assertThat(hot.getBoolean("shortened")).isFalse();
            assertThat(live.getJsonArray("rules").getJsonObject(0).getInteger("hotKeys"))
                    .isEqualTo(1);
            assertThat(live.getJsonObject("store").getString("kind")).isEqualTo("memory");
        }
    }

    private static boolean isFirst(JsonArray keys) {
        return !keys.isEmpty()
                && keys.getJsonObject(0).getString("rule").equals("few")
                && keys.getJsonObject(0).getString("key").equals(STRANGE);
    }

    @Test
    void aLongKeyIsShownWhole() {
        try (Service service = Service.with(RULES)) {
            String user = "x".repeat(250);
            for (int i = 0; i < 4; i++) {
                service.get("/v1/check?path=/few&user=" + user);
            }
            JsonObject limited =
                    admin(service, "/v1/live").getJsonArray("limitedKeys").getJsonObject(0);
            assertThat(limited.getBoolean("shortened")).isFalse();
            assertThat(limited.getString("key")).isEqualTo(user);
            assertThat(limited.getLong("denials")).isEqualTo(2);
        }
    }

    @Test
    void whileRedisIsAwayAPolicyIsAtWorkAndRequestsAreBad() {
        try (RedisServer redis = RedisServer.start();
                Service service = new Service(settings(redis))) {
            service.get("/v1/check?path=/few&user=a");
            shows(service, "few", "allowed", 1);
            redis.kill();
            service.get("/v1/check?path=/few&user=a");
            service.get("/v1/check?path=/few&user=b");
            Eventually.holds(
                    "the policy is at work",
                    PATIENCE,
                    () -> admin(service, "/v1/live")
                            .getJsonObject("failurePolicy")
                            .getBoolean("working"));
            JsonObject live = admin(service, "/v1/live");
            assertThat(live.getJsonObject("failurePolicy").getString("policy")).isEqualTo("local");
            shows(service, "few", "failed", 2);
            assertThat(hour(service).getLong("bad")).isEqualTo(2);
            assertThat(hour(service).getLong("good")).isEqualTo(1);
            JsonArray nodes = live.getJsonObject("store").getJsonArray("nodes");
            assertThat(nodes.getJsonObject(0).getString("address")).endsWith(":" + redis.port());
            redis.restart();
            Eventually.holds("it is shared again", PATIENCE, () -> {
                service.get("/v1/check?path=/few&user=c");
                JsonObject store = admin(service, "/v1/live").getJsonObject("store");
                return store.getBoolean("sharing") && store.getBoolean("up");
            });
        }
    }

    /** A block is an admin's decision, and no failure of the store. */
    @Test
    void aBlockIsNotBad() {
        try (RedisServer redis = RedisServer.start();
                Service service = new Service(settings(redis))) {
            URI block = URI.create("http://127.0.0.1:" + service.server().adminPort() + "/v1/keys/few/a/block");
            HttpResponse<String> blocked = service.send(HttpRequest.newBuilder(block)
                    .header("Content-Type", "application/json")
                    .PUT(HttpRequest.BodyPublishers.ofString(Service.json("{'for': '1h', 'why': ' too much '}"))));
            assertThat(Service.object(blocked).getString("why")).isEqualTo("too much");
            assertThat(service.get("/v1/check?path=/few&user=a").statusCode()).isEqualTo(429);
            shows(service, "few", "denied", 1);
            assertThat(hour(service).getLong("bad")).isZero();
            assertThat(admin(service, "/v1/keys/few/a")
                            .getJsonObject("override")
                            .getString("why"))
                    .isEqualTo("too much");
            HttpResponse<String> tooLong = service.send(HttpRequest.newBuilder(block)
                    .header("Content-Type", "application/json")
                    .PUT(HttpRequest.BodyPublishers.ofString(
                            Service.json("{'for': '1h', 'why': '" + "x".repeat(201) + "'}"))));
            assertThat(Service.detail(tooLong)).contains("at most 200 characters");
        }
    }

    private static final String ALL = """
            rules:
              - name: all
                key: [user]
                limits:
                  - 9 per 1h fixed-window
                  - 9 per 1h sliding-window slices=6
                  - 9 per 1h sliding-log
                  - 9 per 1h token-bucket
                  - 9 per 1h leaky-bucket capacity=9
                  - 9 at once
            """;

    @Test
    void theStateOfAKeyCanBeDrawn() {
        isDrawn(Service.settings(ALL));
    }

    @Test
    void theStateOfAKeyOnRedisCanBeDrawn() {
        try (RedisServer redis = RedisServer.start()) {
            isDrawn(Service.settings(ALL).store(redis.url()));
        }
    }

    private static void isDrawn(ServerSettings settings) {
        try (Service service = new Service(settings)) {
            service.get("/v1/check?user=a");
            service.get("/v1/check?user=a");
            JsonArray states = admin(service, "/v1/keys/all/a").getJsonArray("state");
            assertThat(states.stream().map(state -> ((JsonObject) state).getString("algorithm")))
                    .containsExactly(
                            "fixed-window",
                            "sliding-window",
                            "sliding-log",
                            "token-bucket",
                            "leaky-bucket",
                            "concurrency");
            assertThat(states.stream().map(state -> ((JsonObject) state).getLong("used")))
                    .containsOnly(2L);
            for (int i : new int[] {1, 2}) {
                JsonArray spans = states.getJsonObject(i).getJsonArray("spans");
                assertThat(spans.stream().mapToLong(span -> ((JsonObject) span).getLong("permits")))
                        .hasSizeBetween(1, 2)
                        .satisfies(permits -> assertThat(
                                        permits.stream().mapToLong(each -> each).sum())
                                .isEqualTo(2));
            }
            assertThat(states.getJsonObject(0).containsKey("spans")).isFalse();
            assertThat(states.getJsonObject(3).getLong("level")).isEqualTo(7);
            assertThat(states.getJsonObject(4).getLong("queued")).isEqualTo(2);
            assertThat(states.getJsonObject(5).getLong("held")).isEqualTo(2);
        }
    }

    private static ServerSettings settings(RedisServer redis) {
        return Service.settings(RULES).store(redis.url()).redis(new ServerSettings.Redis("a", Duration.ofSeconds(2)));
    }

    private static JsonObject hour(Service service) {
        return admin(service, "/v1/figures")
                .getJsonObject("availability")
                .getJsonArray("windows")
                .getJsonObject(0);
    }

    private static void shows(Service service, String rule, String column, long count) {
        Eventually.holds(
                rule + " " + column + " " + count,
                PATIENCE,
                () -> sum(series(service, rule), column) == count,
                () -> series(service, rule).encode());
    }

    private static JsonObject series(Service service, String rule) {
        return admin(service, "/v1/history?rule=" + rule).getJsonObject("series");
    }

    private static long sum(JsonObject series, String column) {
        long sum = 0;
        for (Object count : series.getJsonArray(column)) {
            sum += count == null ? 0 : ((Number) count).longValue();
        }
        return sum;
    }

    private static JsonObject admin(Service service, String path) {
        URI uri = URI.create("http://127.0.0.1:" + service.server().adminPort() + path);
        return Service.object(service.send(HttpRequest.newBuilder(uri)));
    }
}
