package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /v1/check} over real connections. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckApiTest {
    private static final String RULES = """
            rules:
              - name: login-per-ip
                when: { path: /login, method: POST }
                key: [ip]
                limits: [5 per 1h sliding-log]
              - name: api-per-user
                when: { path: /api/** }
                key: [user]
                limits:
                  - 10 per 1h sliding-log
                  - 100 per 1d fixed-window
              - name: trial
                when: { path: /trial }
                limits: [1 per 1h sliding-log]
                on-exceed: shadow
              - name: costly
                when: { path: /costly }
                limits: [1 per 1h sliding-log]
                on-exceed: degrade
              - name: spread
                when: { path: /spread }
                limits: [1 per 1h leaky-bucket capacity=3 queue]
            """;
    private final Service service = Service.with(RULES);

    @AfterAll
    void close() {
        service.close();
    }

    @Test
    void fiveAndThenNoMore() {
        String path = "/v1/check?ip=203.0.113.9&path=/login&method=POST";
        for (int left = 4; left >= 0; left--) {
            HttpResponse<String> response = service.get(path);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(header(response, "Content-Type")).isEqualTo("application/json");
            assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"login-per-ip\";q=5;w=3600");
            assertThat(header(response, "RateLimit")).isEqualTo("\"login-per-ip\";r=" + left + ";t=3600");
            assertThat(response.headers().firstValue("Retry-After")).isEmpty();
            JsonObject body = Service.object(response);
            assertThat(body.fieldNames())
                    .containsExactly("allowed", "rule", "limit", "remaining", "retryAfterMs", "resetAfterMs", "limits");
            assertThat(body.getBoolean("allowed")).isTrue();
            assertThat(body.getLong("remaining")).isEqualTo(left);
        }
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = service.get(path);
            assertThat(response.statusCode()).isEqualTo(429);
            assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(header(response, "Retry-After")).matches("3[56]\\d\\d");
            assertThat(header(response, "RateLimit"))
                    .isEqualTo("\"login-per-ip\";r=0;t=" + header(response, "Retry-After"));
            JsonObject body = Service.object(response);
            assertThat(body.getString("type"))
                    .isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
            assertThat(body.getInteger("status")).isEqualTo(429);
            assertThat(body.getJsonArray("violated-policies")).containsExactly("login-per-ip");
            assertThat(body.getBoolean("allowed")).isFalse();
            assertThat(body.getString("rule")).isEqualTo("login-per-ip");
            assertThat(body.getLong("limit")).isEqualTo(5);
            assertThat(body.getLong("remaining")).isZero();
            assertThat(body.getLong("retryAfterMs")).isBetween(3_500_000L, 3_600_000L);
        }
        assertThat(service.get("/v1/check?ip=203.0.113.10&path=/login&method=POST")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void everyLimitSaysHowItStands() {
        HttpResponse<String> response = service.get("/v1/check?user=a&path=/api/x&cost=4");
        assertThat(header(response, "RateLimit-Policy"))
                .isEqualTo("\"api-per-user\";q=10;w=3600, \"api-per-user:2\";q=100;w=86400");
        assertThat(header(response, "RateLimit"))
                .isEqualTo("\"api-per-user\";r=6;t=3600, \"api-per-user:2\";r=96;t=86400");
        JsonArray limits = Service.object(response).getJsonArray("limits");
        assertThat(limits.getJsonObject(0).getLong("remaining")).isEqualTo(6);
        assertThat(limits.getJsonObject(1).getLong("limit")).isEqualTo(100);
        HttpResponse<String> denied = service.get("/v1/check?user=a&path=/api/x&cost=7");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(header(denied, "RateLimit"))
                .as("what does not stand in the way says no time, which would be later than Retry-After")
                .matches("\"api-per-user\";r=6;t=3\\d+, \"api-per-user:2\";r=96");
    }

    @Test
    void whatNoWaitWillHelpSaysSo() {
        HttpResponse<String> response = service.get("/v1/check?user=never&path=/api/x&cost=11");
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
        assertThat(header(response, "RateLimit")).startsWith("\"api-per-user\";r=10, ");
        JsonObject body = Service.object(response);
        assertThat(body.getValue("retryAfterMs")).isNull();
        assertThat(body.containsKey("retryAfterMs")).isTrue();
        assertThat(body.getString("detail"))
                .isEqualTo("a cost of 11 is more than rule api-per-user can ever grant, which is 10");
    }

    @Test
    void aCostOfNothingTakesNothing() {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = service.get("/v1/check?user=peek&path=/api/x&cost=0");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(Service.object(response).getLong("remaining")).isEqualTo(10);
        }
    }

    @Test
    void noRuleNoLimit() {
        HttpResponse<String> response = service.get("/v1/check?path=/elsewhere");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("RateLimit")).isEmpty();
        assertThat(response.body())
                .isEqualTo(Service.json("{'allowed':true,'rule':null,'limit':null,'remaining':null,'retryAfterMs':0,"
                        + "'resetAfterMs':0,'limits':[]}\n"));
    }

    @Test
    void postedIsTheSame() {
        String body = "{'attributes': {'user': 'posted', 'path': '/api/x'}, 'cost': 10}";
        assertThat(service.post(body).statusCode()).isEqualTo(200);
        HttpResponse<String> response = service.post(body);
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(header(response, "Retry-After")).matches("3[56]\\d\\d");
    }

    @Test
    void aListIsAnsweredInItsOrder() {
        HttpResponse<String> response = service.post("[{'attributes': {'user': 'list', 'path': '/api/x'}, 'cost': 7},"
                + " {'attributes': {'user': 'list', 'path': '/api/x'}, 'cost': 7},"
                + " {'attributes': {'user': 'list', 'path': '/api/x'}, 'cost': 3},"
                + " {'attributes': {}}]");
        assertThat(response.statusCode()).isEqualTo(200);
        JsonArray answers = new JsonArray(response.body());
        assertThat(IntStream.range(0, 4).mapToObj(i -> answers.getJsonObject(i).getBoolean("allowed")))
                .containsExactly(true, false, true, true);
        assertThat(answers.getJsonObject(1).getInteger("status")).isEqualTo(429);
        assertThat(answers.getJsonObject(1).getLong("remaining")).isEqualTo(3);
    }

    @Test
    void aListWithAMistakeTakesNothing() {
        HttpResponse<String> response = service.post("[{'attributes': {'user': 'mistake', 'path': '/api/x'}}, 5]");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Service.object(service.get("/v1/check?user=mistake&path=/api/x&cost=0"))
                        .getLong("remaining"))
                .isEqualTo(10);
    }

    @Test
    void aRuleThatWatchesIsToldToTheCallerAlone() {
        service.get("/v1/check?path=/trial");
        HttpResponse<String> response = service.get("/v1/check?path=/trial");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("RateLimit")).isEmpty();
        JsonObject limit = Service.object(response).getJsonArray("limits").getJsonObject(0);
        assertThat(limit.getBoolean("allowed")).isFalse();
        assertThat(limit.getString("onExceed")).isEqualTo("shadow");
    }

    @Test
    void aRuleThatDegradesLetsThroughAndSaysSo() {
        assertThat(service.get("/v1/check?path=/costly").headers().firstValue("Sluice-Degraded"))
                .isEmpty();
        HttpResponse<String> response = service.get("/v1/check?path=/costly");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Sluice-Degraded")).isEqualTo("?1");
        assertThat(Service.object(response).getBoolean("degraded")).isTrue();
    }

    @Test
    void aQueueSaysHowLongToHoldTheWork() {
        assertThat(Service.object(service.get("/v1/check?path=/spread")).containsKey("delayMs"))
                .isFalse();
        HttpResponse<String> response = service.get("/v1/check?path=/spread");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(Service.object(response).getLong("delayMs")).isBetween(3_500_000L, 3_600_000L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET     | /v1/check?cost=-1         | 400 | cost must be a whole number from 0 to 9007199254740992, was '-1'",
                "GET     | /v1/check?a=1&a=2         | 400 | attribute 'a' was given twice: '1' and '2'",
                "GET     | /v1/check?=2              | 400 | the name of an attribute has 1 to 128 characters, was ''",
                "GET     | /v1/check?a=%25&b=%C3     | 400 | what a query writes with percent signs is UTF-8, was '%C3'",
                "POST    | /v1/check                 | 400 | the body must be an object like",
                "PUT     | /v1/check                 | 405 | only GET, POST here, was PUT",
                "DELETE  | /v1/check                 | 405 | only GET, POST here, was DELETE",
                "POST    | /nginx                    | 405 | only GET, HEAD here, was POST",
                "GET     | /v1/holds/x              | 405 | only DELETE here, was GET",
                "DELETE  | /v1/holds/x              | 404 | no such hold",
                "POST    | /healthz                  | 405 | only GET, HEAD here, was POST",
                "PATCH   | /readyz                   | 405 | only GET, HEAD here, was PATCH",
                "GET     | /v1/checks                | 404 | there is nothing at /v1/checks; there are /v1/check,",
                "GET     | /v1/check/                | 404 | there is nothing at /v1/check/; there are /v1/check,",
                "GET     | /                         | 404 | there is nothing at /; there are /v1/check,",
            })
    void whatIsWrongIsSaid(String method, String path, int status, String detail) {
        HttpResponse<String> response =
                service.send(HttpRequest.newBuilder(service.uri(path)).method(method, BodyPublishers.noBody()));
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(Service.detail(response)).startsWith(detail);
        assertThat(response.headers().firstValue("Allow").isPresent()).isEqualTo(status == 405);
    }

    @Test
    void health() {
        assertThat(service.get("/healthz").body()).isEqualTo("ok\n");
        assertThat(service.get("/readyz").body()).isEqualTo("ready\n");
    }

    /** Exactly as many get through as the limit says, on whichever event loop they come in. */
    @Test
    void manyAtOnce() {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            answers.add(service.getLater("/v1/check?user=crowd&path=/api/x"));
        }
        assertThat(answers.stream().filter(answer -> answer.join().statusCode() == 200))
                .hasSize(10);
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElseThrow();
    }
}
