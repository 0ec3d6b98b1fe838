package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.web.Bounds;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What concurrency limits grant over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HoldsApiTest {
    private static final String RULES = """
            rules:
              - name: reports
                when: { path: /reports }
                key: [user]
                limits: [2 at once, 1000 per 1h sliding-log]
            """;
    private static final int MAX_HOLDS = 50;
    private final Service service = new Service(Service.settings(RULES).bounds(Bounds.DEFAULTS.withHolds(MAX_HOLDS)));

    @AfterAll
    void close() {
        service.close();
    }

    @Test
    void aHoldIsReleasedOnce() {
        String first = hold(get("once"));
        String second = hold(get("once"));
        assertThat(first).matches("[\\w-]{22}").isNotEqualTo(second);
        HttpResponse<String> denied = get("once");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Retry-After"))
                .as("nobody knows when")
                .isEmpty();
        assertThat(Service.object(denied).getString("detail"))
                .isEqualTo("rule reports: 0 of 2 left; try again when permits are given back");
        assertThat(Service.object(denied).getString("hold")).isNull();

        HttpResponse<String> freed = service.delete("/v1/holds/" + first);
        assertThat(freed.statusCode()).isEqualTo(204);
        assertThat(service.delete("/v1/holds/" + first).statusCode()).isEqualTo(404);
        String third = hold(get("once"));
        assertThat(get("once").statusCode()).isEqualTo(429);
        service.delete("/v1/holds/" + second);
        service.delete("/v1/holds/" + third);
        assertThat(Service.object(service.get("/v1/check?user=once&path=/reports&cost=0"))
                        .getJsonArray("limits")
                        .getJsonObject(0)
                        .getLong("remaining"))
                .isEqualTo(2);
    }

    @Test
    void aHoldEndsWithItsLease() {
        String body = "{'attributes': {'user': 'out', 'path': '/reports'}, 'cost': 2, 'leaseMs': 100}";
        String id = hold(service.post(body));
        Eventually.holds("the permits are free again", Duration.ofSeconds(10), () -> {
            HttpResponse<String> look = service.get("/v1/check?user=out&path=/reports&cost=0");
            return Service.object(look).getJsonArray("limits").getJsonObject(0).getLong("remaining") == 2;
        });
        assertThat(service.delete("/v1/holds/" + id).statusCode()).isEqualTo(404);
    }

    @Test
    void aLookHoldsNothing() {
        assertThat(Service.object(service.get("/v1/check?user=look&path=/reports&cost=0"))
                        .containsKey("hold"))
                .isFalse();
    }

    @Test
    void aListHasAHoldForEach() {
        String one = "{'attributes': {'user': 'list', 'path': '/reports'}}";
        JsonArray answers = new JsonArray(
                service.post("[" + one + "," + one + "," + one + "]").body());
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 2; i++) {
            ids.add(answers.getJsonObject(i).getString("hold"));
        }
        assertThat(ids)
                .hasSize(2)
                .allMatch(id -> service.delete("/v1/holds/" + id).statusCode() == 204);
        assertThat(answers.getJsonObject(2).getBoolean("allowed")).isFalse();
        assertThat(answers.getJsonObject(2).containsKey("hold")).isFalse();
    }

    /** Then nothing is taken, since nobody could give it back. */
    @Test
    void theNumberOfHoldsIsBounded() {
        Set<String> ids = new HashSet<>();
        HttpResponse<String> response;
        int i = 0;
        do {
            response = get("many" + i++);
            if (response.statusCode() == 200) {
                ids.add(hold(response));
            }
        } while (response.statusCode() == 200);
        assertThat(ids).hasSizeLessThanOrEqualTo(MAX_HOLDS);
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(Service.detail(response)).startsWith("there are too many holds");
        ids.forEach(id -> service.delete("/v1/holds/" + id));
        JsonObject look = Service.object(service.get("/v1/check?cost=0&path=/reports&user=many" + (i - 1)));
        assertThat(look.getJsonArray("limits").getJsonObject(0).getLong("remaining"))
                .isEqualTo(2);
        assertThat(look.getJsonArray("limits").getJsonObject(1).getLong("remaining"))
                .isEqualTo(1000);
    }

    private HttpResponse<String> get(String user) {
        return service.get("/v1/check?path=/reports&user=" + user);
    }

    private static String hold(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(200);
        return Service.object(response).getString("hold");
    }
}
