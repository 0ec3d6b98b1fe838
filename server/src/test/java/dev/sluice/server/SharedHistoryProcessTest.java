package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two processes on one Redis show the sum of what they decided; one is killed, and comes back. */
@Tag("full")
class SharedHistoryProcessTest {
    private static final String CHECK = "/v1/check?ip=203.0.113.9&path=/login&method=POST";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void theSumOfTwoAndOneIsKilledAndComesBack() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ServeProcess one = start(redis)) {
            ServeProcess two = start(redis);
            check(one, 3);
            check(two, 4);
            shows(one, 7);
            shows(two, 7);
            two.kill();
            check(one, 2);
            shows(one, 9);
            Eventually.holds("one server is gone", PATIENCE, () -> up(one) == 1);
            try (ServeProcess again = start(redis)) {
                shows(again, 9);
                check(again, 5);
                shows(one, 14);
                shows(again, 14);
                assertThat(up(one)).isEqualTo(2);
                assertThat(new JsonObject(one.admin("/v1/figures"))
                                .getJsonObject("availability")
                                .getJsonArray("windows")
                                .getJsonObject(0)
                                .getLong("good"))
                        .isEqualTo(14);
            }
        }
    }

    private static ServeProcess start(RedisServer redis) throws Exception {
        return ServeProcess.start(List.of("-Xmx128m"), Map.of(), "--store", redis.url(), "--store-timeout=5000");
    }

    private static void check(ServeProcess server, int times) {
        for (int i = 0; i < times; i++) {
            server.status(CHECK);
        }
    }

    private static void shows(ServeProcess server, long requests) {
        Eventually.holds(
                requests + " requests", PATIENCE, () -> requests(server) == requests, () -> "" + requests(server));
    }

    private static long requests(ServeProcess server) {
        JsonObject series = new JsonObject(server.admin("/v1/history")).getJsonObject("series");
        long sum = 0;
        for (String column : List.of("allowed", "denied", "unmatched")) {
            for (Object count : series.getJsonArray(column)) {
                sum += count == null ? 0 : ((Number) count).longValue();
            }
        }
        return sum;
    }

    private static long up(ServeProcess server) {
        return new JsonObject(server.admin("/v1/history")).getInteger("servers");
    }
}
