package dev.sluice.redis.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit does what the other tests take for granted. */
@Timeout(60)
@Tag("full")
class ServersTest {
    static Stream<RedisBinary> binaries() {
        return RedisBinary.all().stream();
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void aServerCanBeKilledFrozenAndStartedAgain(RedisBinary binary) {
        try (RedisServer server = RedisServer.start(binary, "--maxmemory", "7mb")) {
            assertThat(server.text("SET", "a", "ü")).isEqualTo("OK");
            assertThat(server.text("GET", "a")).isEqualTo("ü");
            assertThat(server.list("CONFIG", "GET", "maxmemory")).containsExactly("maxmemory", "7340032");
            server.pause();
            assertThat(server.isAlive()).isTrue();
            server.resume();
            assertThat(server.keys()).containsExactly("a");
            long pid = server.pid();
            server.kill();
            assertThat(server.isAlive()).isFalse();
            assertThatThrownBy(() -> server.command("PING")).isInstanceOf(UncheckedIOException.class);
            server.restart();
            assertThat(server.pid()).isNotEqualTo(pid);
            assertThat(server.number("DBSIZE")).isZero();
        }
    }

    @Test
    void aServerThatCannotStartSaysWhy() {
        assertThatThrownBy(() -> RedisServer.start("--no-such-option", "1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-option");
    }

    @Test
    void aServerWithAPasswordIsAskedWithIt() {
        try (RedisServer server = RedisServer.start("--requirepass", "secret")) {
            assertThat(server.text("PING")).isEqualTo("PONG");
        }
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void aClusterPromotesAReplica(RedisBinary binary) {
        try (RedisCluster cluster = RedisCluster.start(binary)) {
            assertThat(cluster.masters()).hasSize(3);
            RedisServer master = cluster.masterOf("some key");
            RedisServer replica = cluster.replicaOf(master);
            assertThat(master.text("SET", "some key", "1")).isEqualTo("OK");
            Eventually.holds("the replica has it", Duration.ofSeconds(20), () -> replica.number("DBSIZE") == 1);
            assertThat(cluster.masters()).contains(master).doesNotContain(replica);
            master.kill();
            Eventually.holds(
                    "the replica is promoted",
                    Duration.ofSeconds(20),
                    () -> cluster.masterOf("some key").equals(replica));
            cluster.awaitReady();
            assertThat(replica.text("GET", "some key")).isEqualTo("1");
            master.restart();
            cluster.awaitReady();
            assertThat(cluster.replicaOf(replica)).isEqualTo(master);
        }
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void sentinelsPromoteAReplica(RedisBinary binary) {
        try (RedisSentinels group = RedisSentinels.start(binary)) {
            RedisServer master = group.master();
            List<RedisServer> replicas = group.servers().stream()
                    .filter(each -> !each.equals(master))
                    .toList();
            master.kill();
            Eventually.holds("a replica is promoted", Duration.ofSeconds(20), () -> replicas.contains(group.master()));
            group.awaitReady();
            assertThat(group.master().text("SET", "a", "1")).isEqualTo("OK");
        }
    }
}
