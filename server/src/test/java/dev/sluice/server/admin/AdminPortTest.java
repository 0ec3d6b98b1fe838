package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdminPortTest {
    private static final String OTHER_RULES = "rules:\n  - name: other\n    limits: [3 per 1s]\n";

    private final TestAdmin admin = TestAdmin.start();

    @AfterEach
    void stop() {
        admin.close();
    }

    @Test
    void showsTheRules() {
        HttpResponse<String> json = admin.get("/v1/rules");
        JsonObject rules = new JsonObject(json.body());
        assertThat(rules.getString("text")).isEqualTo(TestAdmin.RULES);
        assertThat(rules.getLong("version")).isEqualTo(1);
        assertThat(rules.getString("origin")).isEqualTo("embedded");
        assertThat(rules.getValue("lastError")).isNull();
        assertThat(json.headers().firstValue("ETag")).hasValue("\"" + rules.getString("etag") + "\"");
        HttpResponse<String> yaml = admin.get("/v1/rules", "Accept", "application/yaml");
        assertThat(yaml.body()).isEqualTo(TestAdmin.RULES);
        assertThat(yaml.headers().firstValue("Content-Type")).hasValue("application/yaml");
    }

    @Test
    void putsRulesAndRollsThemBack() {
        HttpResponse<String> put = admin.putRules(OTHER_RULES, "Content-Type", "application/yaml");
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(new JsonObject(put.body()).getLong("version")).isEqualTo(2);
        assertThat(admin.ruleNames()).containsExactly("other");
        HttpResponse<String> back = admin.send("POST", "/v1/rules/rollback?version=1", "");
        assertThat(new JsonObject(back.body()).getLong("version"))
                .as(back.body())
                .isEqualTo(3);
        assertThat(admin.ruleNames()).containsExactly("login-per-ip", "everything");
        JsonObject versions = admin.json("/v1/rules/versions");
        assertThat(versions.getJsonArray("versions").stream()
                        .map(each ->
                                ((JsonObject) each).getLong("version") + " " + ((JsonObject) each).getString("origin")))
                .containsExactly("3 rollback", "2 put", "1 embedded");
        assertThat(admin.json("/v1/rules/versions/2").getString("text")).isEqualTo(OTHER_RULES);
        assertThat(admin.get("/v1/rules/versions/9").body()).contains("there is no version 9");
        assertThat(admin.send("POST", "/v1/rules/rollback?version=9", "").statusCode())
                .isEqualTo(404);
        assertThat(admin.audited().stream()
                        .map(line ->
                                line.getString("audit") + " " + line.getString("origin") + " " + line.getString("who")
                                        + " " + line.getString("after").charAt(0)))
                .containsExactly("rules put local@127.0.0.1 2", "rules rollback local@127.0.0.1 3");
    }

    @Test
    void keepsCountsWhereTheRuleStays() {
        admin.login("192.0.2.1");
        admin.login("192.0.2.1");
        admin.putRules(TestAdmin.RULES.replace("2 per 1h", "3 per 1h"));
        assertThat(admin.login("192.0.2.1").allowed()).isTrue();
        assertThat(admin.login("192.0.2.1").allowed()).isFalse();
    }

    @Test
    void refusesBadRulesWhole() {
        String bad = "rules:\n  - name: a\n    limits: [5 per 1x]\n  - name: a\n    limit: [1 per 1s]\n";
        HttpResponse<String> put = admin.putRules(bad);
        assertThat(put.statusCode()).isEqualTo(400);
        assertThat(put.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        List<JsonObject> problems = new JsonObject(put.body())
                .getJsonArray("problems").stream().map(JsonObject.class::cast).toList();
        assertThat(problems).hasSizeGreaterThan(1).allSatisfy(problem -> {
            assertThat(problem.getInteger("line")).isPositive();
            assertThat(problem.getInteger("column")).isPositive();
        });
        assertThat(problems.get(0).getInteger("line")).isEqualTo(3);
        assertThat(admin.ruleNames()).containsExactly("login-per-ip", "everything");
        assertThat(admin.json("/v1/rules").getLong("version")).isEqualTo(1);
        assertThat(admin.audited()).isEmpty();
    }

    @Test
    void refusesAnotherStore() {
        HttpResponse<String> put = admin.putRules("store: redis://:secret@192.0.2.1\n" + OTHER_RULES);
        assertThat(put.statusCode()).isEqualTo(400);
        assertThat(put.body()).contains("a running server keeps its store").doesNotContain("secret");
    }

    @Test
    void nobodysUpdateIsLost() {
        String seen = admin.get("/v1/rules").headers().firstValue("ETag").orElseThrow();
        assertThat(admin.putRules(OTHER_RULES, "If-Match", seen).statusCode()).isEqualTo(200);
        HttpResponse<String> late = admin.putRules(TestAdmin.RULES, "If-Match", seen);
        assertThat(late.statusCode()).isEqualTo(412);
        assertThat(admin.ruleNames()).containsExactly("other");
        assertThat(admin.putRules(TestAdmin.RULES, "If-Match", "*").statusCode())
                .isEqualTo(200);
    }

    @Test
    void theSameRulesAreNoNewVersion() {
        assertThat(new JsonObject(admin.putRules(TestAdmin.RULES).body()).getLong("version"))
                .isEqualTo(1);
    }

    @Test
    void explainsAndTakesNothing() {
        String question = "{\"attributes\": {\"ip\": \"192.0.2.1\", \"path\": \"/login\"}}";
        for (int i = 0; i < 5; i++) {
            JsonObject answer =
                    new JsonObject(admin.post("/v1/explain", question).body());
            assertThat(answer.getBoolean("allowed")).isTrue();
            JsonObject first = answer.getJsonArray("applying").getJsonObject(0);
            assertThat(first.getString("key")).isEqualTo("192.0.2.1");
            assertThat(first.getLong("remaining")).isEqualTo(1); // after this request, which peek counts as taken
        }
        admin.login("192.0.2.1");
        admin.login("192.0.2.1");
        JsonObject denied = new JsonObject(admin.post("/v1/explain", question).body());
        assertThat(denied.getBoolean("allowed")).isFalse();
        assertThat(denied.getString("decisive")).isEqualTo("login-per-ip");
        assertThat(denied.getJsonArray("applying").getJsonObject(0).getString("remedy"))
                .contains("a wait of");
        JsonObject elsewhere =
                new JsonObject(admin.post("/v1/explain", "{\"attributes\": {\"ip\": \"192.0.2.1\", \"path\": \"/\"}}")
                        .body());
        assertThat(elsewhere.getJsonArray("notApplying").getJsonObject(0).getString("reason"))
                .contains("path: /login does not match");
    }

    @Test
    void inspectsAndResetsAKey() {
        admin.login("192.0.2.1");
        admin.login("192.0.2.1");
        JsonObject key = admin.json("/v1/keys/login-per-ip/192.0.2.1");
        assertThat(key.getString("outcome")).isEqualTo("denied");
        assertThat(key.getLong("remaining")).isZero();
        assertThat(key.getJsonArray("limits").getJsonObject(0).getString("text"))
                .isEqualTo("2 per 1h sliding-log");
        assertThat(admin.send("DELETE", "/v1/keys/login-per-ip/192.0.2.1", "").statusCode())
                .isEqualTo(204);
        assertThat(admin.login("192.0.2.1").allowed()).isTrue();
        assertThat(admin.json("/v1/keys/everything/").getLong("limit")).isEqualTo(1000);
        assertThat(admin.audited().get(0).getString("audit")).isEqualTo("reset");
    }

    @Test
    void blocksAKeyAndLetsItGo() {
        HttpResponse<String> block = admin.put("/v1/keys/login-per-ip/192.0.2.1/block", "{\"for\": \"10m\"}");
        assertThat(block.statusCode()).as(block.body()).isEqualTo(200);
        assertThat(admin.login("192.0.2.1").allowed()).isFalse();
        assertThat(admin.login("192.0.2.2").allowed()).isTrue();
        assertThat(admin.json("/v1/keys/login-per-ip/192.0.2.1")
                        .getJsonObject("override")
                        .getString("kind"))
                .isEqualTo("block");
        assertThat(admin.send("DELETE", "/v1/keys/login-per-ip/192.0.2.1/override", "")
                        .statusCode())
                .isEqualTo(404);
        assertThat(admin.send("DELETE", "/v1/keys/login-per-ip/192.0.2.1/block", "")
                        .statusCode())
                .isEqualTo(204);
        assertThat(admin.login("192.0.2.1").allowed()).isTrue();
        assertThat(admin.audited().stream().map(line -> line.getString("audit")))
                .containsExactly("block", "end-block");
    }

    @Test
    void givesAKeyOtherLimitsForAWhile() {
        String path = "/v1/keys/login-per-ip/192.0.2.1/override";
        HttpResponse<String> put = admin.put(path, "{\"for\": \"1h\", \"limits\": [\"4 per 1h sliding-log\"]}");
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(new JsonObject(put.body()).getBoolean("everywhere")).isTrue();
        for (int i = 0; i < 4; i++) {
            assertThat(admin.login("192.0.2.1").allowed()).isTrue();
        }
        assertThat(admin.login("192.0.2.1").allowed()).isFalse();
        admin.put(path, "{\"for\": \"1h\", \"limits\": [\"unlimited\"]}");
        assertThat(admin.login("192.0.2.1").allowed()).isTrue();
        assertThat(admin.json("/v1/keys/login-per-ip/192.0.2.1").getString("outcome"))
                .isEqualTo("allowed");
        admin.putRules(TestAdmin.RULES.replace("1000", "2000"));
        assertThat(admin.login("192.0.2.1").allowed()).as("outlives a reload").isTrue();
    }

    @Test
    void takesADurationAsARuleFileHasIt() {
        HttpResponse<String> block = admin.put("/v1/keys/login-per-ip/192.0.2.1/block", "{\"for\": \"1w\"}");
        assertThat(block.statusCode()).as(block.body()).isEqualTo(200);
        assertThat(Instant.parse(new JsonObject(block.body()).getString("until")))
                .isBetween(Instant.now().plus(Duration.ofDays(6)), Instant.now().plus(Duration.ofDays(7)));
    }

    @Test
    void showsALimitAsTheRuleFileHasIt() {
        admin.putRules("rules: [{name: quota, limits: [{permits: 100, per: month, algorithm: fixed-window,"
                + " aligned: Europe/Berlin}]}]");
        assertThat(admin.json("/v1/keys/quota/")
                        .getJsonArray("limits")
                        .getJsonObject(0)
                        .getString("text"))
                .isEqualTo("100 per month fixed-window aligned=Europe/Berlin");
    }

    @Test
    void listsOffenders() {
        for (int i = 0; i < 12; i++) {
            admin.login("192.0.2.66");
            admin.login("192.0.2.1" + i % 6);
        }
        JsonObject top = admin.json("/v1/offenders?top=1");
        assertThat(top.getJsonArray("offenders")).hasSize(1);
        assertThat(top.getJsonArray("offenders").getJsonObject(0))
                .isEqualTo(new JsonObject()
                        .put("rule", "login-per-ip")
                        .put("key", "192.0.2.66")
                        .put("atLeast", 10)
                        .put("atMost", 10));
        assertThat(top.getLong("denials")).isEqualTo(10);
    }

    @Test
    void countsForPrometheus() {
        admin.login("192.0.2.1");
        admin.login("192.0.2.1");
        admin.login("192.0.2.1");
        admin.port.took(40_000);
        assertThat(admin.metric("sluice_checks_total{outcome=\"allowed\"}")).isEqualTo(2);
        assertThat(admin.metric("sluice_checks_total{outcome=\"denied\"}")).isEqualTo(1);
        assertThat(admin.metric("sluice_decisions_total{outcome=\"denied\",rule=\"login-per-ip\"}"))
                .isEqualTo(1);
        assertThat(admin.metric("sluice_check_seconds_bucket{le=\"5.0E-5\"}")).isEqualTo(1);
        assertThat(admin.metric("sluice_check_seconds_count")).isEqualTo(1);
        assertThat(admin.metric("sluice_rules")).isEqualTo(2);
        assertThat(admin.metric("sluice_rules_version")).isEqualTo(1);
        assertThat(admin.metric("sluice_rules_bad")).isZero();
        assertThat(admin.metric("jvm_threads_live_threads")).isPositive();
        assertThat(admin.get("/metrics").headers().firstValue("Content-Type"))
                .hasValue("text/plain; version=0.0.4; charset=utf-8");
    }

    @Test
    void headIsGetWithoutTheBody() {
        HttpResponse<String> head = admin.send("HEAD", "/v1/rules", "");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValue("ETag")).isPresent();
        assertThat(head.body()).isEmpty();
    }

    @Test
    void takesBodiesOfAKindAndASize() {
        assertThat(admin.putRules(OTHER_RULES, "Content-Type", "application/x-www-form-urlencoded")
                        .body())
                .contains("Content-Type must be application/yaml, was 'application/x-www-form-urlencoded'");
        assertThat(admin.send("POST", "/v1/explain", "{\"attributes\": {}}").statusCode())
                .isEqualTo(415);
        HttpResponse<String> large = admin.post("/v1/explain", " ".repeat(70_000) + "{}");
        assertThat(large.statusCode()).isEqualTo(413);
        assertThat(admin.get("/v1/rules").statusCode()).isEqualTo(200);
    }
}
