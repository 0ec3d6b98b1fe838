package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.ruleset.InitialRules;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers that share one real Redis. */
class SharedServersTest {
    private static final String LOGIN = "/v1/check?ip=203.0.113.9&path=/login&method=POST";

    @Test
    void twoServersKeepOneLimitAndARestartForgetsNothing() {
        try (RedisServer redis = RedisServer.start();
                Service one = new Service(settings(redis))) {
            Service two = new Service(settings(redis));
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                statuses.add(one.get(LOGIN).statusCode());
            }
            statuses.add(two.get(LOGIN).statusCode());
            two.close();
            try (Service again = new Service(settings(redis))) {
                statuses.add(again.get(LOGIN).statusCode());
                statuses.add(again.get(LOGIN).statusCode());
                statuses.add(one.get(LOGIN).statusCode());
                assertThat(statuses).containsExactly(200, 200, 200, 200, 200, 429, 429);
                HttpResponse<String> denied = again.get(LOGIN);
                assertThat(denied.headers().firstValue("Retry-After").orElseThrow())
                        .matches("[1-5]?\\d|60");
                assertThat(denied.headers().firstValue("RateLimit").orElseThrow())
                        .startsWith("\"login-per-ip\";r=0;t=");
            }
        }
    }

    /** Real processes, one told of Redis on its command line and one by its environment. */
    @Test
    @Tag("slow")
    void aServerThatIsKilledAndStartedAgainGoesOnCounting() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ServeProcess one = ServeProcess.start(Map.of("SLUICE_STORE", redis.url()), "--store-timeout=5000");
                ServeProcess two = ServeProcess.start(Map.of(), "--store", redis.url(), "--store-timeout=5000")) {
            List<Integer> statuses = new ArrayList<>();
            statuses.add(one.status(LOGIN));
            statuses.add(two.status(LOGIN));
            statuses.add(two.status(LOGIN));
            two.kill();
            statuses.add(one.status(LOGIN));
            try (ServeProcess again = ServeProcess.start(Map.of(), "--store", redis.url(), "--store-timeout=5000");
                    ServeProcess apart = ServeProcess.start(
                            Map.of("SLUICE_STORE", redis.url()),
                            "--store-prefix",
                            "elsewhere",
                            "--store-timeout=5000")) {
                statuses.add(again.status(LOGIN));
                statuses.add(again.status(LOGIN));
                statuses.add(one.status(LOGIN));
                assertThat(apart.status(LOGIN)).isEqualTo(200);
            }
            assertThat(statuses).containsExactly(200, 200, 200, 200, 200, 429, 429);
        }
    }

    @Test
    void whatOneHoldsTheOtherCannotHave() {
        String reports = "/v1/check?user=u&path=/reports/1";
        try (RedisServer redis = RedisServer.start();
                Service one = new Service(settings(redis));
                Service two = new Service(settings(redis))) {
            String hold = Service.object(one.get(reports)).getString("hold");
            assertThat(two.get(reports).statusCode()).isEqualTo(200);
            assertThat(two.get(reports).statusCode()).isEqualTo(429);
            assertThat(two.delete("/v1/holds/" + hold).statusCode())
                    .as("any server releases it")
                    .isEqualTo(204);
            assertThat(one.delete("/v1/holds/" + hold).statusCode()).isEqualTo(404);
            Eventually.holds(
                    "the permit is free",
                    Duration.ofSeconds(5),
                    () -> two.get(reports).statusCode() == 200);
        }
    }

    /** Each server keeps the limit by itself meanwhile, and answers in milliseconds. */
    @Test
    void withoutRedisTheRulesStillHold() {
        try (RedisServer redis = RedisServer.start();
                Service one = new Service(settings(redis))) {
            assertThat(one.get(LOGIN).statusCode()).isEqualTo(200);
            redis.kill();
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                statuses.add(one.get(LOGIN).statusCode());
            }
            assertThat(statuses).endsWith(429).contains(200).doesNotContain(500, 503);
            assertThat(one.get("/readyz").statusCode()).isEqualTo(200);
        }
    }

    private static ServerSettings settings(RedisServer redis) {
        return ServerSettings.of(InitialRules.example()).store(redis.url());
    }
}
