package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import io.vertx.core.json.JsonArray;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Base64;
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
              - name: short
                when: { path: /short }
                key: [user]
                limits: [2 at once]
                lease: 200ms
              - name: proxied
                when: { path: /proxied }
                limits: [2 at once]
                lease: 200ms
              - name: many
                when: { path: /many }
                limits: [1000000 at once, 1000000 per 1h]
              - name: shadow
                when: { path: /shadow }
                limits: [5 at once]
                on-exceed: shadow
              - name: none
                when: { path: /shadow }
                limits: [1 per 1d]
            """;
    private final Service service = new Service(Service.settings(RULES).memory("1MB"));

    @AfterAll
    void close() {
        service.close();
    }

    @Test
    void aHoldIsReleasedOnce() {
        String first = hold(get("once"));
        String second = hold(get("once"));
        assertThat(first).matches("[\\w-]+").isNotEqualTo(second);
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

    /** There, a request takes nothing, since nothing could end its hold. */
    @Test
    void holdsAreBoundedWithTheMemoryOfTheStore() {
        Set<String> ids = new HashSet<>();
        HttpResponse<String> response = service.get("/v1/check?path=/many");
        while (response.statusCode() == 200) {
            ids.add(hold(response));
            response = service.get("/v1/check?path=/many");
        }
        assertThat(ids).hasSizeBetween(100, 5000);
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(Service.detail(response)).startsWith("there are too many holds");
        assertThat(free("/many", 0)).isEqualTo(1_000_000 - ids.size());
        assertThat(free("/many", 1)).isEqualTo(1_000_000 - ids.size());
        ids.forEach(id -> service.delete("/v1/holds/" + id));
        assertThat(free("/many", 0)).isEqualTo(1_000_000);
        assertThat(service.get("/v1/check?path=/many").statusCode()).isEqualTo(200);
    }

    private long free(String path, int limit) {
        return Service.object(service.get("/v1/check?cost=0&path=" + path))
                .getJsonArray("limits")
                .getJsonObject(limit)
                .getLong("remaining");
    }

    @Test
    void theRuleBoundsTheLease() {
        String longer = "{'attributes': {'user': 'u', 'path': '/short'}, 'cost': 2, 'leaseMs': 60000}";
        assertThat(hold(service.post(longer))).isNotEmpty();
        Eventually.holds("the permits are free again", Duration.ofSeconds(10), () -> free("/short&user=u", 0) == 2);
        assertThat(service.get("/v1/check?path=/short&user=u&cost=2").statusCode())
                .isEqualTo(200);
        Eventually.holds("the permits are free again", Duration.ofSeconds(10), () -> free("/short&user=u", 0) == 2);
    }

    @Test
    void nginxHoldsUntilTheLeaseEnds() {
        for (int i = 0; i < 2; i++) {
            assertThat(service.get("/nginx", "X-Original-URI", "/proxied").statusCode())
                    .isBetween(200, 204);
        }
        Eventually.holds("the permits are free again", Duration.ofSeconds(10), () -> free("/proxied", 0) == 2);
    }

    /** The request does not run, so that it holds nothing, of shadow rules neither. */
    @Test
    void aDeniedRequestHoldsNothing() {
        hold(service.get("/v1/check?path=/shadow"));
        for (int i = 0; i < 3; i++) {
            assertThat(service.get("/v1/check?path=/shadow").statusCode()).isEqualTo(429);
        }
        assertThat(free("/shadow", 0)).isEqualTo(4);
    }

    @Test
    void whatIsNoTokenReleasesNothing() {
        String id = hold(get("forged"));
        byte[] bytes = Base64.getUrlDecoder().decode(id);
        for (int i = 0; i < bytes.length; i++) {
            byte[] forged = bytes.clone();
            forged[i] ^= 1;
            String text = Base64.getUrlEncoder().withoutPadding().encodeToString(forged);
            assertThat(service.delete("/v1/holds/" + text).statusCode()).isEqualTo(404);
        }
        for (String text : new String[] {"", "x", "%00", "AQ", "A".repeat(7000), "....", id + id}) {
            assertThat(service.delete("/v1/holds/" + text).statusCode()).isEqualTo(404);
        }
        assertThat(service.delete("/v1/holds/" + id).statusCode()).isEqualTo(204);
    }

    private HttpResponse<String> get(String user) {
        return service.get("/v1/check?path=/reports&user=" + user);
    }

    private static String hold(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(200);
        return Service.object(response).getString("hold");
    }
}
