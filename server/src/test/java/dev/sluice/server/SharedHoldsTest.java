package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers on one Redis, behind a balancer that sends a DELETE to either. */
@Timeout(60)
class SharedHoldsTest {
    private static final String RULES = """
            rules:
              - name: jobs
                when: { path: /jobs }
                key: [user]
                limits: [2 at once]
              - name: proxied
                when: { domain: edge }
                key: [user]
                limits: [2 at once]
                lease: 1s
            """;

    private static RedisServer redis;
    private static Service one;
    private static Service other;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        one = server();
        other = server();
    }

    private static Service server() {
        return new Service(Service.settings(RULES)
                .store(redis.url())
                .redis(new ServerSettings.Redis("sluice", Duration.ofSeconds(5))));
    }

    @AfterAll
    static void stop() {
        one.close();
        other.close();
        redis.close();
    }

    private static String hold(Service service, String user) {
        HttpResponse<String> response = service.get("/v1/check?path=/jobs&user=" + user);
        assertThat(response.statusCode()).isEqualTo(200);
        return Service.object(response).getString("hold");
    }

    private static long free(String user) {
        HttpResponse<String> look = other.get("/v1/check?path=/jobs&cost=0&user=" + user);
        return Service.object(look).getJsonArray("limits").getJsonObject(0).getLong("remaining");
    }

    @Test
    void anyServerReleases() {
        String user = "a%7Cb%2F%C3%BC%20%25"; // a key that needs escaping everywhere
        String first = hold(one, user);
        String second = hold(one, user);
        assertThat(other.get("/v1/check?path=/jobs&user=" + user).statusCode()).isEqualTo(429);
        assertThat(other.delete("/v1/holds/" + first).statusCode()).isEqualTo(204);
        assertThat(one.delete("/v1/holds/" + first).statusCode()).isEqualTo(404);
        assertThat(free(user)).isEqualTo(1);
        assertThat(one.delete("/v1/holds/" + second).statusCode()).isEqualTo(204);
        assertThat(free(user)).isEqualTo(2);
    }

    /** The store ends the lease, whether or not the server that granted it lives. */
    @Test
    void aLeaseOutlivesItsServerAndEnds() throws Exception {
        Service third = server();
        String body = "{'attributes': {'user': 'z', 'path': '/jobs'}, 'cost': 2, 'leaseMs': 3000}";
        assertThat(third.post(body).statusCode()).isEqualTo(200);
        third.close();
        assertThat(free("z")).isZero();
        Eventually.holds("the lease has ended", Duration.ofSeconds(20), () -> free("z") == 2);
    }

    @Test
    void whatAProxyCannotReleaseExpires() {
        assertThat(json("p")).isEqualTo(200);
        assertThat(json("p")).isEqualTo(200);
        assertThat(json("p")).isEqualTo(429);
        Eventually.holds("the leases have ended", Duration.ofSeconds(20), () -> json("p") == 200);
    }

    private static int json(String user) {
        JsonObject message = new JsonObject(Service.json(
                "{'domain': 'edge', 'descriptors': [{'entries': [{'key': 'user'," + " 'value': '" + user + "'}]}]}"));
        return one.send(HttpRequest.newBuilder(one.uri("/json")).POST(BodyPublishers.ofString(message.encode())))
                .statusCode();
    }
}
