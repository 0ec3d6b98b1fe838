package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision.Source;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.script.KeyNames;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisCluster;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** However long one master of a cluster was not well, it is used again soon after, and the others are all the time. */
@Timeout(120)
@Tag("full")
class ClusterHealingTest {
    private static final Limit MANY = Limit.fixedWindow(1_000_000, Duration.ofHours(1));
    private static final Duration TIMEOUT = Duration.ofMillis(50);
    /** Long enough that attempts would be seconds apart. */
    private static final Duration LONG = Duration.ofSeconds(8);
    /** A second, and something for a busy machine. */
    private static final Duration HEALED = Duration.ofSeconds(2);

    private static final Duration SOON = Duration.ofSeconds(30);

    @ParameterizedTest
    @EnumSource(Client.class)
    void aMasterThatAnsweredNonsenseForLong(Client client) {
        try (FaultyProxy proxy = FaultyProxy.toNobody();
                RedisCluster cluster = RedisCluster.startBehind(proxy);
                RedisStore store = store(client, cluster.url()).build()) {
            RedisServer master = cluster.servers().get(0);
            String affected = keyOf(cluster, master::equals);
            String other = keyOf(cluster, server -> !server.equals(master));
            healsFromNonsense(store, proxy, affected, other);
        }
    }

    private static void healsFromNonsense(RedisStore store, FaultyProxy proxy, String affected, String other) {
        Limiter limiter = store.limiter("l", MANY);
        awaitRedis(limiter, affected);
        awaitRedis(limiter, other);
        proxy.replaceTexts("$3\r\nabc\r\n");
        long until = System.nanoTime() + LONG.toNanos();
        int others = 0;
        int byRedis = 0;
        while (System.nanoTime() - until < 0) {
            assertThat(byRedis(limiter, affected)).isFalse();
            others++;
            byRedis += byRedis(limiter, other) ? 1 : 0;
        }
        assertThat(byRedis)
                .as("of %d calls to another master, by Redis", others)
                .isGreaterThan(others * 8 / 10);
        proxy.deliverAll();
        assertThatItHeals(store, limiter, affected);
    }

    /** All connections end, and none can log in until the password that the application knows is the new one. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aPasswordThatWasWrongForLong(Client client) {
        AtomicReference<String> password = new AtomicReference<>("old");
        try (RedisCluster cluster = RedisCluster.start()) {
            setPassword(cluster, "old");
            try (RedisStore store = store(client, cluster.url())
                    .credentials("limiter", password::get)
                    .build()) {
                Limiter limiter = store.limiter("l", MANY);
                awaitRedis(limiter, "k");
                setPassword(cluster, "new");
                cluster.servers().forEach(server -> server.command("CLIENT", "KILL", "USER", "limiter"));
                long until = System.nanoTime() + LONG.toNanos();
                Eventually.holds("the policy decides", SOON, () -> !byRedis(limiter, "k"));
                while (System.nanoTime() - until < 0) {
                    assertThat(byRedis(limiter, "k")).isFalse();
                }
                password.set("new");
                assertThatItHeals(store, limiter, "k");
            }
        }
    }

    private static void setPassword(RedisCluster cluster, String password) {
        cluster.servers()
                .forEach(server ->
                        server.command("ACL", "SETUSER", "limiter", "on", "resetpass", ">" + password, "~*", "+@all"));
    }

    /** A key in a slot of such a master. */
    private static String keyOf(RedisCluster cluster, Predicate<RedisServer> isMaster) {
        KeyNames names = new KeyNames("sluice", "l");
        return IntStream.range(0, 1000)
                .mapToObj(i -> "key-" + i)
                .filter(key -> isMaster.test(cluster.masterOf(names.of(key, List.of("1F1h"))[0])))
                .findFirst()
                .orElseThrow();
    }

    private static RedisStoreBuilder store(Client client, String url) {
        return RedisStore.builder().url(url).client(client).timeout(TIMEOUT).onFailure(OnFailure.DENY);
    }

    private static boolean byRedis(Limiter limiter, String key) {
        boolean byRedis = limiter.decide(key).source() == Source.REDIS;
        pause();
        return byRedis;
    }

    private static void pause() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitRedis(Limiter limiter, String key) {
        Eventually.holds("Redis decides", SOON, () -> byRedis(limiter, key));
    }

    private static void assertThatItHeals(RedisStore store, Limiter limiter, String key) {
        Eventually.holds(
                "Redis decides again",
                HEALED,
                () -> byRedis(limiter, key),
                () -> store.counters().toString());
    }
}
