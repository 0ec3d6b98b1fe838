package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.record.RecorderSettings;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rules are checked and tried over real sockets, and nothing changes by it. */
class RuleTrialApiTest {
    private static final String RULES = """
            rules:
              - name: login-per-ip
                when: { path: /login }
                key: [ip]
                limits: [5 per 1h sliding-log]
            """;
    private static final String CHECK = "/v1/rules/check";
    private static final String TRY = "/v1/rules/try";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Service service = new Service(Service.settings(RULES).recorder(RecorderSettings.of(1 << 20)));

    @AfterEach
    void stop() {
        service.close();
    }

    private HttpResponse<String> post(String path, String rules, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + service.server().adminPort() + path))
                .setHeader("Content-Type", "application/yaml")
                .POST(BodyPublishers.ofString(rules));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return client.sendAsync(request.build(), BodyHandlers.ofString()).join();
    }

    private JsonObject answer(String path, String rules) {
        HttpResponse<String> response = post(path, rules);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private void logins(String ip, int count) {
        for (int i = 0; i < count; i++) {
            service.get("/v1/check?ip=" + ip + "&path=/login");
        }
    }

    @Test
    void rightRulesAreCounted() {
        assertThat(answer(CHECK, RULES).encode()).isEqualTo(Service.json("{'ok':true,'rules':1,'warnings':[]}"));
        JsonObject warned = answer(CHECK, RULES.replace("path:", "paht:"));
        assertThat(warned.getBoolean("ok")).isTrue();
        JsonObject warning = warned.getJsonArray("warnings").getJsonObject(0);
        assertThat(warning.getInteger("line")).isEqualTo(3);
        assertThat(warning.getString("written")).isEqualTo("paht");
        assertThat(warning.getString("suggestion")).isEqualTo("path");
    }

    @Test
    void eachProblemHasItsPlaceAndASuggestion() {
        JsonObject wrong = answer(CHECK, RULES.replace("sliding-log", "slidng-log"));
        assertThat(wrong.getBoolean("ok")).isFalse();
        JsonObject problem = wrong.getJsonArray("problems").getJsonObject(0);
        assertThat(problem.getInteger("line")).isEqualTo(5);
        assertThat(problem.getString("written")).isEqualTo("slidng-log");
        assertThat(problem.getString("suggestion")).isEqualTo("sliding-log");
        JsonObject field = answer(CHECK, RULES.replace("limits:", "limit:"));
        assertThat(field.getJsonArray("problems").stream()
                        .map(JsonObject.class::cast)
                        .map(each -> each.getString("suggestion")))
                .contains("limits");
        assertThat(answer(CHECK, "rules: [").getJsonArray("problems").size()).isPositive();
        assertThat(answer(CHECK, "store: redis://elsewhere:1\n" + RULES)
                        .getJsonArray("problems")
                        .encode())
                .contains("keeps its store");
        assertThat(service.server().rules().rules()).hasSize(1);
    }

    @Test
    void aTrialSaysWhoWouldBeDenied() {
        logins("203.0.113.9", 9);
        logins("203.0.113.8", 3);
        JsonObject tried = answer(TRY + "?last=5m", RULES.replace("5 per 1h", "2 per 1h"));
        assertThat(tried.getLong("requests")).isEqualTo(12);
        assertThat(tried.getJsonObject("now").getLong("denied")).isEqualTo(4);
        assertThat(tried.getJsonObject("then").getLong("denied")).isEqualTo(8);
        assertThat(tried.getJsonObject("changed").encode()).isEqualTo(Service.json("{'denied':4,'allowed':0}"));
        assertThat(tried.getLong("to") - tried.getLong("from")).isBetween(0L, 60L);
        JsonObject rule = tried.getJsonArray("rules").getJsonObject(0);
        assertThat(rule.getLong("denied")).isEqualTo(8);
        assertThat(rule.getLong("now")).isEqualTo(4);
        assertThat(rule.getLong("clients")).isEqualTo(2);
        assertThat(rule.getJsonArray("topKeys").encode())
                .isEqualTo(Service.json("[{'key':'203.0.113.9','denied':7},{'key':'203.0.113.8','denied':1}]"));
        assertThat(tried.getJsonArray("notes").size()).isZero();
        assertThat(service.get("/v1/check?ip=203.0.113.8&path=/login").statusCode())
                .as("nothing was counted, and the rules are as they were")
                .isEqualTo(200);
    }

    @Test
    void rulesThatARecordingCannotDecideAreLeftOutByName() {
        logins("203.0.113.9", 2);
        JsonObject tried = answer(TRY, RULES + """
                  - name: at-once
                    limits: [9 at once]
                  - name: per-tenant
                    key: [tenant]
                    limits: [1 per 1h]
                """);
        assertThat(tried.getJsonArray("rules").size()).isEqualTo(1);
        assertThat(tried.getJsonArray("notes").stream().map(String::valueOf))
                .anyMatch(note -> note.startsWith("rule 'at-once' limits how many requests run at once"))
                .anyMatch(
                        note -> note.contains("'per-tenant' is left out: it asks for 'tenant', which is not recorded"));
    }

    @Test
    void aTrialOfNothingSaysSo() {
        JsonObject tried = answer(TRY + "?last=1s", RULES);
        assertThat(tried.getLong("requests")).isZero();
        assertThat(tried.getJsonObject("then").getLong("denied")).isZero();
    }

    @Test
    void mistakesAreExplained() {
        assertThat(Service.detail(post(TRY + "?last=soon", RULES))).startsWith("last must be a duration");
        HttpResponse<String> bad = post(TRY, "rules: [{}]");
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(bad.body()).contains("bad-rules", "problems");
        assertThat(post(CHECK, RULES, "Content-Type", "text/plain").statusCode())
                .as("what a form of another site may send")
                .isEqualTo(415);
        assertThat(post(CHECK, RULES, "Origin", "http://evil.example").statusCode())
                .isEqualTo(403);
        assertThat(post(CHECK, "x".repeat(5 << 20)).statusCode()).isEqualTo(413);
        for (String path : List.of(CHECK, TRY)) {
            HttpResponse<String> get = client.sendAsync(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                            + service.server().adminPort() + path))
                                    .build(),
                            BodyHandlers.ofString())
                    .join();
            assertThat(get.statusCode()).as(path).isEqualTo(405);
        }
        service.close();
        service = Service.with(RULES);
        HttpResponse<String> off = post(TRY, RULES);
        assertThat(off.statusCode()).isEqualTo(404);
        assertThat(Service.detail(off)).contains("start it with --record 64MB");
    }
}
