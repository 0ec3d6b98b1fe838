package dev.sluice.server.ruleset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisCluster;
import dev.sluice.redis.servers.RedisSentinels;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.ruleset.RuleVersion.Origin;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The shared rules in every layout of Redis. */
@Tag("full")
class RedisLayoutsTest {
    private static final RuleVersion FIRST = new RuleVersion(1, Origin.PUT, "me", Instant.EPOCH, "rules: []");

    @Test
    void behindAPassword() {
        try (RedisServer redis = RedisServer.start("--requirepass", "p@ss/word")) {
            areShared("redis://:p%40ss%2Fword@127.0.0.1:" + redis.port() + "/3");
        }
    }

    @Test
    void onACluster() {
        try (RedisCluster cluster = RedisCluster.start()) {
            areShared(cluster.url());
        }
    }

    @Test
    void behindSentinels() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            areShared(sentinels.url());
        }
    }

    private static void areShared(String url) {
        try (RedisRules one = new RedisRules(url, "sluice", 2);
                RedisRules two = new RedisRules(url, "sluice", 2)) {
            assertThat(one.publish("", FIRST)).isTrue();
            assertThat(two.publish("", FIRST)).isFalse();
            assertThat(two.state().version()).isEqualTo(FIRST.id());
            assertThat(two.publish(FIRST.id(), FIRST.after(1))).isTrue();
            assertThat(one.versions()).containsExactly(FIRST.after(1), FIRST);
            TemporaryOverride override = new TemporaryOverride(
                    TemporaryOverride.Kind.OVERRIDE,
                    "a",
                    "b|c",
                    Instant.MAX.minusSeconds(1),
                    List.of("1 per 1s"),
                    "me",
                    "too many logins");
            one.put(override);
            assertThat(two.overrides()).containsExactly(java.util.Map.entry(override.name(), override));
            String seen = two.state().overrides();
            two.remove(override.name());
            assertThat(one.overrides()).isEmpty();
            assertThat(one.state().overrides()).isNotEqualTo(seen);
        }
    }
}
