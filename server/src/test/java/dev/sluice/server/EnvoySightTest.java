package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.envoy.EnvoyFolder;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator sees of limits in files for Envoy: the same as of rules. */
@Tag("full")
class EnvoySightTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String LIMITS = """
            domain: shop
            descriptors:
              - key: user
                rate_limit: { unit: day, requests_per_unit: 5 }
              - key: path
                value: /search
                shadow_mode: true
                rate_limit: { unit: day, requests_per_unit: 1 }
            """;

    @TempDir
    Path folder = Path.of("");

    private Path file = Path.of("");
    private Service service = Service.with("rules: []");

    @BeforeEach
    void start() throws Exception {
        service.close();
        file = Files.writeString(folder.resolve("shop.yaml"), LIMITS);
        service = new Service(Service.settings("rules: []").envoy(EnvoyFolder.open(folder)));
    }

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    void decisionsShowInMetricsAndOffenders() {
        for (int i = 0; i < 7; i++) {
            ask("user", "ada");
        }
        ask("user", "bob");
        ask("path", "/search");
        ask("path", "/search");
        ask("color", "blue");
        assertThat(metric("sluice_checks_total{outcome=\"allowed\"}")).isEqualTo(5 + 1 + 2);
        assertThat(metric("sluice_checks_total{outcome=\"denied\"}")).isEqualTo(2);
        assertThat(metric("sluice_checks_total{outcome=\"unmatched\"}")).isEqualTo(1);
        assertThat(metric("sluice_decisions_total{outcome=\"denied\",rule=\"shop.user\"}"))
                .isEqualTo(2);
        assertThat(metric("sluice_decisions_total{outcome=\"shadowed\",rule=\"shop.path_/search\"}"))
                .isEqualTo(1);
        assertThat(metric("sluice_check_seconds_count")).isEqualTo(11);
        JsonArray offenders = admin("/v1/offenders").getJsonArray("offenders");
        assertThat(offenders.getJsonObject(0).getString("rule")).isEqualTo("shop.user");
        assertThat(offenders.getJsonObject(0).getString("key")).isEqualTo("ada");
        assertThat(offenders.getJsonObject(0).getLong("atLeast")).isEqualTo(2);
    }

    @Test
    void descriptorsHaveTheStatsOfEnvoysOwnService() {
        ask("user", "ada", 3);
        ask("user", "ada", 4);
        ask("user", "ada", 2);
        ask("path", "/search", 3);
        assertThat(stat("hits", "user")).isEqualTo(9);
        assertThat(stat("within_limit", "user")).isEqualTo(3);
        assertThat(stat("near_limit", "user")).as("the fifth").isEqualTo(1);
        assertThat(stat("over_limit", "user")).isEqualTo(2 + 2);
        assertThat(stat("shadow_mode", "user")).isZero();
        assertThat(stat("over_limit_with_local_cache", "user")).isZero();
        assertThat(stat("shadow_mode", "path_/search")).isEqualTo(3);
    }

    @Test
    void aLimitThatTheRequestBringsIsCountedToo() {
        String body = "{'domain': 'shop', 'descriptors': [{'entries': [{'key': 'any', 'value': 'thing'}],"
                + " 'limit': {'requests_per_unit': 1, 'unit': 'DAY'}}]}";
        json(body);
        json(body);
        assertThat(stat("hits", "limit_override")).isEqualTo(2);
        assertThat(stat("over_limit", "limit_override")).isEqualTo(1);
        assertThat(metric("sluice_checks_total{outcome=\"denied\"}")).isEqualTo(1);
    }

    @Test
    void theLiveFiguresHaveThem() {
        for (int i = 0; i < 7; i++) {
            ask("user", "ada");
        }
        ask("path", "/search");
        ask("path", "/search");
        Eventually.holds(
                "it is counted",
                PATIENCE,
                () -> rule("shop.user").getJsonObject("perSecond").getDouble("denied") > 0);
        JsonObject user = rule("shop.user");
        assertThat(user.getBoolean("envoy")).isTrue();
        assertThat(user.getJsonArray("limits").encode()).isEqualTo("[\"5 per 1d\"]");
        assertThat(user.getString("onExceed")).isEqualTo("reject");
        JsonObject search = rule("shop.path_/search");
        assertThat(search.getString("onExceed")).isEqualTo("shadow");
        assertThat(search.getJsonObject("perSecond").getDouble("shadowed")).isPositive();
        JsonObject limited = admin("/v1/live").getJsonArray("limitedKeys").getJsonObject(0);
        assertThat(limited.getString("rule")).isEqualTo("shop.user");
        assertThat(limited.getString("key")).isEqualTo("ada");
    }

    /** An answer is given to all pages for half a second, but not one that is older than the limits. */
    @Test
    void theLiveFiguresFollowTheLimitsAtOnce() throws IOException {
        Files.writeString(file, LIMITS.replace("requests_per_unit: 5", "requests_per_unit: 9"));
        Eventually.holds("the change is counted", PATIENCE, () -> {
            admin("/v1/live");
            return metric("sluice_envoy_config_changes_total") == 1;
        });
        assertThat(rule("shop.user").getJsonArray("limits")).containsExactly("9 per 1d");
    }

    private JsonObject rule(String name) {
        return admin("/v1/live").getJsonArray("rules").stream()
                .map(JsonObject.class::cast)
                .filter(rule -> rule.getString("name").equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** While Redis is away, what decides in its place is shown, and such requests are bad for the availability. */
    @Test
    void whatDecidedIsShown() throws Exception {
        service.close();
        try (RedisServer redis = RedisServer.start()) {
            service = new Service(Service.settings("rules: []")
                    .envoy(EnvoyFolder.open(folder))
                    .store(redis.url())
                    .redis(new ServerSettings.Redis("a", Duration.ofSeconds(2))));
            ask("user", "ada");
            Eventually.holds("Redis decided", PATIENCE, () -> sources().getDouble("redis") > 0);
            assertThat(sources().getDouble("local")).isZero();
            assertThat(hour().getLong("good")).isEqualTo(1);
            redis.kill();
            ask("user", "ada");
            ask("user", "bob");
            Eventually.holds(
                    "this process decided",
                    PATIENCE,
                    () -> sources().getDouble("local") + sources().getDouble("failure-policy") > 0);
            Eventually.holds("that is bad", PATIENCE, () -> hour().getLong("bad") == 2);
            assertThat(hour().getLong("good")).isEqualTo(1);
        }
    }

    private JsonObject sources() {
        return admin("/v1/live").getJsonObject("sources");
    }

    private JsonObject hour() {
        return admin("/v1/figures")
                .getJsonObject("availability")
                .getJsonArray("windows")
                .getJsonObject(0);
    }

    @Test
    void aBadFolderIsShownUntilItIsGood() throws IOException {
        assertThat(metric("sluice_envoy_config_bad")).isZero();
        assertThat(metric("sluice_envoy_config_limits")).isEqualTo(2);
        Files.writeString(file, "domane: shop");
        Eventually.holds("it is shown", PATIENCE, () -> metric("sluice_envoy_config_bad") == 1);
        JsonObject error = admin("/v1/status").getJsonObject("envoyConfig").getJsonObject("lastError");
        assertThat(error.getJsonArray("problems").getJsonObject(0).getString("message"))
                .contains("shop.yaml:1:1", "domane");
        assertThat(metric("sluice_envoy_config_rejections_total")).isEqualTo(1);
        assertThat(metric("sluice_watch_failures_total{watch=\"envoy-config\"}"))
                .isEqualTo(1);
        ask("user", "ada");
        assertThat(metric("sluice_checks_total{outcome=\"allowed\"}"))
                .as("the old limits are in force")
                .isEqualTo(1);
        Files.writeString(file, LIMITS.replace("user", "person"));
        Eventually.holds("it is in force", PATIENCE, () -> metric("sluice_envoy_config_bad") == 0);
        assertThat(admin("/v1/status").getJsonObject("envoyConfig").getValue("lastError"))
                .isNull();
        assertThat(stat("hits", "person")).isZero();
        assertThat(stat("hits", "user")).as("gone").isEqualTo(-1);
    }

    /** Each of these once made a reader that calls itself run out of stack. */
    @Test
    void howeverDeepItIsNestedTheNextChangeIsRead() throws IOException {
        int depth = 200_000;
        long rejections = 0;
        for (String deep : new String[] {
            "[".repeat(depth),
            "{a: ".repeat(depth),
            "- ".repeat(depth),
            "? ".repeat(depth),
            "domain: d\ndescriptors:\n" + deepDescriptors(400),
        }) {
            Files.writeString(file, deep);
            long before = rejections++;
            Eventually.holds(
                    "it is rejected: " + deep.substring(0, 9),
                    PATIENCE,
                    () -> metric("sluice_envoy_config_rejections_total") == before + 1);
            assertThat(admin("/v1/status").encode()).contains("nested more than 100 deep");
        }
        Files.writeString(file, LIMITS);
        Eventually.holds("it is read", PATIENCE, () -> metric("sluice_envoy_config_bad") == 0);
    }

    /** A pipe that nobody writes to would keep the thread that watches for good. */
    @Test
    void aPipeAmongTheFilesIsAProblemAndNothingMore() throws Exception {
        Path pipe = folder.resolve("pipe.yaml");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Eventually.holds("it is shown", PATIENCE, () -> metric("sluice_envoy_config_bad") == 1);
        assertThat(admin("/v1/status").encode()).contains("not a regular file");
        Files.delete(pipe);
        Eventually.holds("it is read", PATIENCE, () -> metric("sluice_envoy_config_bad") == 0);
    }

    private static String deepDescriptors(int depth) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            text.append("  ".repeat(i))
                    .append("- key: k\n")
                    .append("  ".repeat(i))
                    .append("  descriptors:\n");
        }
        return text.toString();
    }

    private void ask(String key, String value) {
        ask(key, value, 1);
    }

    private void ask(String key, String value, int hits) {
        json("{'domain': 'shop', 'hitsAddend': " + hits + ", 'descriptors': [{'entries': [{'key': '" + key
                + "', 'value': '" + value + "'}]}]}");
    }

    private void json(String body) {
        assertThat(service.send(HttpRequest.newBuilder(service.uri("/json"))
                                .POST(BodyPublishers.ofString(Service.json(body))))
                        .statusCode())
                .isIn(200, 429);
    }

    private double stat(String name, String descriptor) {
        return metric("sluice_descriptor_" + name + "_total{descriptor=\"" + descriptor + "\",domain=\"shop\"}");
    }

    private JsonObject admin(String path) {
        return new JsonObject(scrape(path));
    }

    private double metric(String name) {
        return scrape("/metrics")
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(-1);
    }

    private String scrape(String path) {
        return service.send(HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + service.server().adminPort() + path)))
                .body();
    }
}
