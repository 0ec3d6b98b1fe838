package dev.sluice.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.spring.RunningApp;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** {@code DELETE /actuator/sluice/{rule}/{key}} says so when Redis does not answer. */
class ResetWithoutRedisTest {
    private static final String KEY = "/actuator/sluice/hello-per-ip/127.0.0.1";

    @Test
    void aResetThatRedisDoesNotAnswerIsNoSuccess() {
        try (RedisServer redis = RedisServer.start();
                RunningApp app = RunningApp.start(
                        WebApplicationType.SERVLET,
                        List.of(ActuatorTest.App.class),
                        "sluice.store=" + redis.url(),
                        "sluice.redis.timeout=1s",
                        "management.endpoints.web.exposure.include=sluice",
                        "sluice.rules[0].name=hello-per-ip",
                        "sluice.rules[0].when.path=/search",
                        "sluice.rules[0].key[0]=ip",
                        "sluice.rules[0].limits[0]=1 per 1h sliding-log")) {
            assertThat(app.statuses(2, "GET", "/search")).containsExactly(200, 429);
            redis.pause();
            for (int i = 0; i < 4; i++) { // with the circuit breaker closed, and open
                HttpResponse<String> unanswered = app.send("DELETE", KEY);
                assertThat(unanswered.statusCode()).isEqualTo(503);
                assertThat(unanswered.body())
                        .contains("\"reset\":false")
                        .contains("Redis did not answer; the key is reset in this process only");
            }
            assertThat(app.send("DELETE", "/actuator/sluice/no-such-rule/x").statusCode())
                    .isEqualTo(404);
            redis.resume();
            Eventually.holds(
                    "Redis answers",
                    Duration.ofSeconds(30),
                    () -> app.send("DELETE", KEY).statusCode() == 200);
            assertThat(app.statuses(2, "GET", "/search")).containsExactly(200, 429);
        }
    }
}
