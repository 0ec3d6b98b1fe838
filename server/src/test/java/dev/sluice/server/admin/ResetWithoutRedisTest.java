package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisServer;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** {@code DELETE /v1/keys/{rule}/{key}} says so when Redis does not answer. */
class ResetWithoutRedisTest {
    private static final String KEY = "/v1/keys/login-per-ip/203.0.113.9";

    @Test
    void aResetThatRedisDoesNotAnswerIsNoSuccess() {
        try (RedisServer redis = RedisServer.start();
                TestAdmin admin = TestAdmin.onRedis(redis.url())) {
            TestAdmin.eventually(
                    "Redis answers", () -> admin.send("DELETE", KEY, "").statusCode() == 204);
            redis.pause();
            HttpResponse<String> unanswered = admin.send("DELETE", KEY, "");
            assertThat(unanswered.statusCode()).isEqualTo(503);
            assertThat(unanswered.body()).contains("the key is reset in this server only");
            redis.resume();
            TestAdmin.eventually(
                    "Redis answers again", () -> admin.send("DELETE", KEY, "").statusCode() == 204);
        }
    }
}
