package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisCluster;
import dev.sluice.redis.servers.RedisSentinels;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.admin.RuleVersion.Origin;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The board wherever a store can be. */
@Tag("slow")
class BoardLayoutsTest {
    private static final RuleVersion FIRST = new RuleVersion(1, Origin.PUT, "me", Instant.EPOCH, "rules: []");

    @Test
    void behindAPassword() {
        try (RedisServer redis = RedisServer.start("--requirepass", "p@ss/word")) {
            holds("redis://:p%40ss%2Fword@127.0.0.1:" + redis.port() + "/3");
        }
    }

    @Test
    void onACluster() {
        try (RedisCluster cluster = RedisCluster.start()) {
            holds(cluster.url());
        }
    }

    @Test
    void behindSentinels() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            holds(sentinels.url());
        }
    }

    private static void holds(String url) {
        try (RedisBoard one = new RedisBoard(url, "sluice", 2);
                RedisBoard two = new RedisBoard(url, "sluice", 2)) {
            assertThat(one.post("", FIRST)).isTrue();
            assertThat(two.post("", FIRST)).isFalse();
            assertThat(two.glance().version()).isEqualTo(FIRST.id());
            assertThat(two.post(FIRST.id(), FIRST.after(1))).isTrue();
            assertThat(one.versions()).containsExactly(FIRST.after(1), FIRST);
            KeyHold hold = new KeyHold(
                    KeyHold.Kind.OVERRIDE, "a", "b|c", Instant.MAX.minusSeconds(1), List.of("1 per 1s"), "me");
            one.hold(hold);
            assertThat(two.holds()).containsExactly(java.util.Map.entry(hold.name(), hold));
            String seen = two.glance().holds();
            two.drop(hold.name());
            assertThat(one.holds()).isEmpty();
            assertThat(one.glance().holds()).isNotEqualTo(seen);
        }
    }
}
