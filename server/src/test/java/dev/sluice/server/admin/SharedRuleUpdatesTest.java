package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.ruleset.RuleVersion;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Several servers on one Redis. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedRuleUpdatesTest {
    private final RedisServer redis = RedisServer.start();

    @TempDir
    Path folder = Path.of("");

    @BeforeEach
    void empty() {
        redis.command("FLUSHALL");
    }

    @AfterAll
    void stop() {
        redis.close();
    }

    @Test
    void rulesPutThroughOneReachTheOther() {
        try (TestAdmin one = TestAdmin.onRedis(redis.url());
                TestAdmin two = TestAdmin.onRedis(redis.url())) {
            HttpResponse<String> put = one.putRules(rules("shared"));
            assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
            awaitRules(two, "shared");
            assertThat(two.json("/v1/rules").getString("etag"))
                    .isEqualTo(one.json("/v1/rules").getString("etag"));
            assertThat(new JsonObject(two.send("POST", "/v1/rules/rollback?version=1", "")
                                    .body())
                            .getLong("version"))
                    .isEqualTo(3);
            TestAdmin.eventually("back in the first", () -> one.ruleNames().contains("login-per-ip"));
            assertThat(one.json("/v1/rules/versions").getJsonArray("versions")).hasSize(3);
            try (TestAdmin three = TestAdmin.onRedis(redis.url())) {
                assertThat(three.json("/v1/rules").getLong("version"))
                        .as("one that starts later, from its first answer on")
                        .isEqualTo(3);
            }
        }
    }

    /** Both have seen the same version; one of them is told. */
    @Test
    void ofTwoAtOnceOneWins() {
        try (TestAdmin one = TestAdmin.onRedis(redis.url());
                TestAdmin two = TestAdmin.onRedis(redis.url())) {
            String seen = one.get("/v1/rules").headers().firstValue("ETag").orElseThrow();
            assertThat(one.putRules(rules("first"), "If-Match", seen).statusCode())
                    .isEqualTo(200);
            assertThat(two.putRules(rules("second"), "If-Match", seen).statusCode())
                    .isEqualTo(412);
            awaitRules(two, "first");
        }
    }

    @Test
    void aServerThatDiesAndComesBackHasWhatWasPutMeanwhile() throws IOException {
        Path file = file("file", "2026-01-01T00:00:00Z");
        try (TestAdmin one = TestAdmin.onRedis(redis.url(), file)) {
            TestAdmin.onRedis(redis.url(), file).close();
            one.putRules(rules("put"));
            try (TestAdmin again = TestAdmin.onRedis(redis.url(), file)) {
                assertThat(again.ruleNames()).as("its file is the one known").containsExactly("put");
                Files.writeString(file, rules("newer"));
                awaitRules(one, "newer");
                awaitRules(again, "newer");
                assertThat(one.json("/v1/rules").getLong("version")).isEqualTo(3);
            }
        }
    }

    @Test
    void aNewFileAtTheStartIsNewsAndAnOldOneIsNot() throws IOException {
        Path old = file("old", "2026-01-01T00:00:00Z");
        try (TestAdmin one = TestAdmin.onRedis(redis.url(), old)) {
            Path young = file("young", "2026-01-02T00:00:00Z");
            try (TestAdmin two = TestAdmin.onRedis(redis.url(), young)) {
                assertThat(two.ruleNames()).containsExactly("young");
                awaitRules(one, "young");
            }
            try (TestAdmin crashed = TestAdmin.onRedis(redis.url(), old)) {
                assertThat(crashed.ruleNames()).as("not given the new file yet").containsExactly("young");
            }
            Files.setLastModifiedTime(old, FileTime.from(Instant.now().plusSeconds(60)));
            try (TestAdmin takenBack = TestAdmin.onRedis(redis.url(), old)) {
                assertThat(takenBack.ruleNames()).containsExactly("old");
                awaitRules(one, "old");
            }
        }
    }

    @Test
    void withoutRedisTheRulesStayAndTheFileStillCounts() throws IOException {
        Path file = file("file", "2026-01-01T00:00:00Z");
        try (TestAdmin one = TestAdmin.onRedis(redis.url(), file);
                TestAdmin two = TestAdmin.onRedis(redis.url())) {
            one.putRules(rules("put"));
            awaitRules(two, "put");
            redis.kill();
            TestAdmin.eventually("that is seen", () -> one.metric("sluice_rules_sharing_up") == 0);
            HttpResponse<String> put = one.putRules(rules("lost"));
            assertThat(put.statusCode()).isEqualTo(503);
            assertThat(put.body()).contains("nothing was changed");
            assertThat(one.ruleNames()).containsExactly("put");
            Files.writeString(file, rules("meanwhile"));
            awaitRules(one, "meanwhile");
            assertThat(two.ruleNames()).containsExactly("put");
            redis.restart();
            awaitRules(two, "meanwhile");
            TestAdmin.eventually(
                    "both agree",
                    () -> one.json("/v1/rules")
                            .getString("etag")
                            .equals(two.json("/v1/rules").getString("etag")));
        } finally {
            if (!redis.isAlive()) {
                redis.restart();
            }
        }
    }

    @Test
    void aServerStartsWithoutRedisAndCatchesUp() {
        try (TestAdmin one = TestAdmin.onRedis(redis.url())) {
            one.putRules(rules("put"));
            redis.pause();
            try (TestAdmin two = TestAdmin.onRedis(redis.url())) {
                assertThat(two.ruleNames()).contains("login-per-ip");
                redis.resume();
                awaitRules(two, "put");
            }
        } finally {
            if (!redis.isRunning()) {
                redis.resume();
            }
        }
    }

    @Test
    void rulesThatRedisLostAreSharedAgain() {
        try (TestAdmin one = TestAdmin.onRedis(redis.url());
                TestAdmin two = TestAdmin.onRedis(redis.url())) {
            one.putRules(rules("put"));
            one.put("/v1/keys/put//block", "{\"for\": \"10m\"}");
            awaitRules(two, "put");
            redis.command("FLUSHALL");
            TestAdmin.eventually(
                    "it is there again",
                    () -> redis.keys()
                            .containsAll(
                                    List.of("sluice:{rules}", "sluice:{rules}:versions", "sluice:{rules}:overrides")));
            TestAdmin.eventually(
                    "both agree",
                    () -> one.json("/v1/rules")
                            .getString("etag")
                            .equals(two.json("/v1/rules").getString("etag")));
            assertThat(one.ruleNames()).isEqualTo(two.ruleNames()).containsExactly("put");
            try (TestAdmin three = TestAdmin.onRedis(redis.url())) {
                assertThat(three.check().allowed()).as("still blocked").isFalse();
            }
        }
    }

    @Test
    void aBlockReachesAllAndItsEndToo() {
        try (TestAdmin one = TestAdmin.onRedis(redis.url());
                TestAdmin two = TestAdmin.onRedis(redis.url())) {
            String path = "/v1/keys/login-per-ip/192.0.2.1";
            one.put(path + "/block", "{\"for\": \"10m\"}");
            assertThat(one.login("192.0.2.1").allowed()).isFalse();
            TestAdmin.eventually("the other has it", () -> two.json(path).getValue("override") != null);
            assertThat(two.login("192.0.2.1").allowed()).isFalse();
            two.send("DELETE", path + "/block", "");
            TestAdmin.eventually("the first lets it go", () -> one.json(path).getValue("override") == null);
            assertThat(one.login("192.0.2.1").allowed()).isTrue();
            redis.kill();
            JsonObject alone = new JsonObject(
                    two.put(path + "/block", "{\"for\": \"10m\"}").body());
            assertThat(alone.getBoolean("everywhere")).isFalse();
            assertThat(two.login("192.0.2.1").allowed()).isFalse();
            redis.restart();
            TestAdmin.eventually("it arrives", () -> one.json(path).getValue("override") != null);
        } finally {
            if (!redis.isAlive()) {
                redis.restart();
            }
        }
    }

    @Test
    void keepsSoManyVersions() {
        try (TestAdmin one = TestAdmin.onRedis(redis.url())) {
            for (int i = 0; i < 20 + 5; i++) {
                assertThat(one.putRules(rules("r" + i)).statusCode()).isEqualTo(200);
            }
            assertThat(redis.number("LLEN", "sluice:{rules}:versions")).isEqualTo(20);
        }
    }

    /** A newer server may share rules that this one does not understand. */
    @Test
    void badSharedRulesChangeNothingAndAreShown() {
        try (TestAdmin one = TestAdmin.onRedis(redis.url())) {
            RuleVersion strange =
                    new RuleVersion(2, RuleVersion.Origin.PUT, "newer", Instant.EPOCH, "rules: [{nmae: x}]");
            redis.command(
                    "LPUSH",
                    "sluice:{rules}:versions",
                    strange.summary().put("text", strange.text()).encode());
            redis.command("HSET", "sluice:{rules}", "version", strange.id());
            TestAdmin.eventually("it is shown", () -> one.json("/v1/rules").getValue("lastError") != null);
            assertThat(one.ruleNames()).containsExactly("login-per-ip", "everything");
            assertThat(one.metric("sluice_rules_rejections_total")).isEqualTo(1);
            assertThat(new JsonObject(one.putRules(rules("right")).body()).getLong("version"))
                    .isEqualTo(3);
            assertThat(one.json("/v1/rules").getValue("lastError")).isNull();
        }
    }

    @Test
    void theStoreIsCounted() {
        try (TestAdmin one = TestAdmin.onRedis(redis.url())) {
            one.login("192.0.2.1");
            assertThat(one.metric("sluice_store_asked_total")).isPositive();
            assertThat(one.metric("sluice_store_calls_total")).isPositive();
            assertThat(one.metric("sluice_store_in_flight")).isZero();
            for (String counter : List.of("late", "refusals", "reconnects")) {
                assertThat(one.metric("sluice_store_" + counter + "_total")).isNotNegative();
            }
            assertThat(one.metric("sluice_store_up")).isEqualTo(1);
            assertThat(one.metric("sluice_store_master_up{master=\"127.0.0.1:" + redis.port() + "\"}"))
                    .isEqualTo(1);
            assertThat(one.metric("sluice_store_without_total{policy=\"local\"}"))
                    .isZero();
        }
    }

    private static String rules(String name) {
        return "rules:\n  - name: " + name + "\n    limits: [3 per 1s]\n";
    }

    private Path file(String name, String modified) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".yaml"), rules(name));
        return Files.setLastModifiedTime(file, FileTime.from(Instant.parse(modified)));
    }

    private static void awaitRules(TestAdmin admin, String name) {
        TestAdmin.eventually("the rules are " + name, () -> admin.ruleNames().equals(List.of(name)));
    }
}
