package dev.sluice.redis;

import static dev.sluice.redis.ConnectionTest.assertThatItLimits;
import static dev.sluice.redis.ConnectionTest.assertThatNothingFailed;
import static dev.sluice.redis.ConnectionTest.storeOn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.script.KeyNames;
import dev.sluice.redis.script.KeyNamesTest;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisCluster;
import dev.sluice.redis.servers.RedisServer;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisClusterClient;

/** A real cluster, with each client. */
@Timeout(120)
@Tag("full")
class ClusterTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofMillis(250);
    private static final Limit ONE = Limit.fixedWindow(1, Duration.ofHours(1));

    private static final Limit MANY = Limit.fixedWindow(1000, Duration.ofHours(1));

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void end() {
        cluster.close();
    }

    @BeforeEach
    void forget() {
        cluster.awaitReady();
        cluster.masters().forEach(master -> master.command("FLUSHALL"));
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void keysAreSpreadOverTheMasters(Client client) {
        try (RedisStore store = storeOn(client, cluster.url()).build();
                RedisStore other = storeOn(client, cluster.url()).build()) {
            Limiter limiter = store.limiter("many", ONE);
            Limiter elsewhere = other.limiter("many", ONE);
            for (int i = 0; i < 300; i++) {
                assertThat(limiter.tryAcquire("key-" + i)).isTrue();
                assertThat(elsewhere.tryAcquire("key-" + i)).isFalse();
            }
            assertThat(cluster.masters().stream().map(master -> master.number("DBSIZE")))
                    .hasSize(3)
                    .allSatisfy(keys -> assertThat(keys).isGreaterThan(50));
            limiter.reset("key-7");
            assertThat(limiter.tryAcquire("key-7")).isTrue();
            assertThatNothingFailed(store);
            assertThatNothingFailed(other);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void theLimitsOfAKeyShareASlotHoweverOddItIs(Client client) {
        try (RedisStore store = storeOn(client, cluster.url()).build()) {
            Limiter all = store.limiter(
                    "all of {them}",
                    Limit.fixedWindow(5, Duration.ofHours(1)),
                    Limit.slidingLog(4, Duration.ofHours(1)),
                    Limit.slidingWindow(6, Duration.ofHours(1), 6));
            for (String key : KeyNamesTest.ODD) {
                assertThat(all.decide(key, 3).remaining()).as(key).isEqualTo(1);
                assertThat(all.tryAcquire(key, 2)).as(key).isFalse(); // and none of the three is charged
                assertThat(all.tryAcquire(key, 1)).as(key).isTrue();
            }
            assertThatNothingFailed(store);
            Set<Long> slots = cluster.masters().stream()
                    .flatMap(master -> master.keys().stream()
                            .filter(name -> name.contains(":%7Ba%7D}:"))
                            .map(name -> master.number("CLUSTER", "KEYSLOT", name)))
                    .collect(Collectors.toSet());
            assertThat(slots).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aUserWithAPassword(Client client) {
        cluster.servers()
                .forEach(server -> server.command(
                        "ACL SETUSER limiter on >secret ~sluice:* -@all +ping +evalsha +eval +time +get +set +getrange +setrange +pexpire +pttl +exists +del +cluster +info +client +readonly"
                                .split(" ", -1)));
        String url = cluster.url().replace("://", "://limiter:secret@");
        try (RedisStore store = storeOn(client, url).build()) {
            assertThatItLimits(store);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void scriptsThatAMasterForgetsAreTaughtAgain(Client client) {
        try (RedisStore store = storeOn(client, cluster.url()).build()) {
            Limiter limiter = store.limiter("many", Limit.fixedWindow(3, Duration.ofHours(1)));
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 20; i++) {
                    assertThat(limiter.decide("key-" + i).remaining()).isEqualTo(2 - round);
                }
                cluster.masters().get(round).command("SCRIPT", "FLUSH");
            }
            assertThatNothingFailed(store);
        }
    }

    @Test
    void aLettuceConnectionStaysOpen() {
        io.lettuce.core.cluster.RedisClusterClient client = io.lettuce.core.cluster.RedisClusterClient.create(
                cluster.masters().get(0).url());
        try (StatefulRedisClusterConnection<String, String> connection = client.connect()) {
            try (RedisStore store = RedisStore.builder()
                    .connection(connection)
                    .timeout(Duration.ofSeconds(10))
                    .build()) {
                assertThatItLimits(store);
            }
            assertThat(connection.isOpen()).isTrue();
            assertThat(connection.sync().ping()).isEqualTo("PONG");
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofMillis(100));
        }
    }

    @Test
    void aJedisClientStaysOpen() {
        Set<HostAndPort> nodes =
                Set.of(new HostAndPort("127.0.0.1", cluster.masters().get(0).port()));
        try (RedisClusterClient client = RedisClusterClient.create(nodes)) {
            try (RedisStore store = RedisStore.builder()
                    .jedis(client)
                    .timeout(Duration.ofSeconds(10))
                    .build()) {
                assertThatItLimits(store);
            }
            assertThat(client.ping()).isEqualTo("PONG");
        }
    }

    /** A cluster behind a plain address is found out, and several limiters are charged as a cluster can. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aPlainUrlLeadsToTheCluster(Client client) {
        try (RedisStore store = storeOn(client, cluster.masters().get(0).url())
                .onFailure(OnFailure.ALLOW)
                .build()) {
            Limiter limiter = store.limiter("many", ONE);
            assertThat(Stream.iterate(0, i -> i < 30, i -> i + 1)).allMatch(i -> limiter.tryAcquire("key-" + i));
            assertThat(allowedTogether(store, "alice", "bob")).isEqualTo(1);
            assertThatNothingFailed(store);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aDatabaseInAPlainUrlOfAClusterIsSaid(Client client) {
        try (ConnectionFailingTest.Log log = new ConnectionFailingTest.Log();
                RedisStore store =
                        storeOn(client, cluster.masters().get(0).url() + "/1").build()) {
            assertThat(store.counters().open()).isTrue();
            assertThat(log.text()).containsAnyOf("a cluster, which has no databases", "SELECT is not allowed");
        }
    }

    /** The class that applications had before RedisClusterClient. */
    @Test
    @SuppressWarnings("deprecation")
    void theApplicationsJedisCluster() {
        Set<HostAndPort> nodes =
                Set.of(new HostAndPort("127.0.0.1", cluster.masters().get(0).port()));
        try (JedisCluster client = new JedisCluster(nodes, 10_000);
                RedisStore store = RedisStore.builder()
                        .jedis(client)
                        .timeout(Duration.ofSeconds(10))
                        .onFailure(OnFailure.ALLOW)
                        .build()) {
            assertThat(allowedTogether(store, "alice", "bob")).isEqualTo(1);
            assertThatNothingFailed(store);
            assertThat(store.counters().open()).isFalse();
        }
    }

    /** It reaches one node only: keys of that node are limited, also those in different slots together. */
    @Test
    void theApplicationsPlainConnectionToANode() {
        RedisServer node = cluster.masters().get(0);
        List<String> keys = Stream.iterate(0, i -> i + 1)
                .map(i -> "key-" + i)
                .filter(key -> masterOf("one", key).equals(node)
                        && masterOf("more", key).equals(node))
                .limit(1)
                .toList();
        io.lettuce.core.RedisClient client = io.lettuce.core.RedisClient.create(node.url());
        try (StatefulRedisConnection<String, String> connection = client.connect();
                RedisStore store = RedisStore.builder()
                        .connection(connection)
                        .timeout(Duration.ofSeconds(10))
                        .onFailure(OnFailure.ALLOW)
                        .build()) {
            assertThat(allowedTogether(store, keys.get(0), keys.get(0))).isEqualTo(1);
            assertThatNothingFailed(store);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofMillis(100));
        }
    }

    /** A frozen master costs the calls to its slots a few timeouts, and the others nothing. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aFrozenMasterConcernsItsSlotsOnly(Client client) {
        Duration timeout = Duration.ofMillis(100);
        RedisServer frozen = masterOfAlice();
        List<String> others = Stream.iterate(0, i -> i + 1)
                .map(i -> "key-" + i)
                .filter(key -> !masterOf("many", key).equals(frozen))
                .limit(20)
                .toList();
        try (RedisStore store = RedisStore.builder()
                .url(cluster.url())
                .client(client)
                .timeout(timeout)
                .onFailure(OnFailure.DENY)
                .build()) {
            Limiter limiter = store.limiter("many", MANY);
            others.forEach(key -> Eventually.holds("its master answers", SOON, () -> limiter.tryAcquire(key)));
            Eventually.holds("Alice's master answers", SOON, () -> limiter.tryAcquire("alice"));
            frozen.pause();
            long start = System.nanoTime();
            int waits = 0;
            int rounds = 0;
            int byRedis = 0;
            // a replica is promoted after a second at the earliest
            while (System.nanoTime() - start < Duration.ofMillis(900).toNanos()) {
                long began = System.nanoTime();
                limiter.tryAcquire("alice");
                waits += Duration.ofNanos(System.nanoTime() - began).toMillis() >= 90 ? 1 : 0;
                byRedis += limiter.tryAcquire(others.get(rounds % others.size())) ? 1 : 0;
                rounds++;
            }
            assertThat(waits)
                    .as("calls that waited for the frozen master, of " + rounds)
                    .isBetween(1, 5);
            assertThat(byRedis)
                    .as("calls that other masters decided, of " + rounds + ", " + store.counters())
                    .isGreaterThan(rounds * 8 / 10);
            assertThat(store.counters().breakers().values())
                    .containsOnlyOnce(RedisCounters.BreakerState.OPEN)
                    .contains(RedisCounters.BreakerState.CLOSED);
        } finally {
            frozen.resume();
        }
    }

    /** The address of one node is enough. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aUrlWithOneNode(Client client) {
        String url = cluster.masters().get(0).url().replace("redis:", "redis-cluster:");
        try (RedisStore store = storeOn(client, url).build()) {
            Limiter limiter = store.limiter("many", ONE);
            assertThat(Stream.iterate(0, i -> i < 30, i -> i + 1)).allMatch(i -> limiter.tryAcquire("key-" + i));
            assertThatNothingFailed(store);
        }
    }

    /** A master dies, and its replica takes over: the same limiter goes on with what the replica knows. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aMasterIsReplaced(Client client) {
        try (RedisStore store = failingOver(client)) {
            Limiter limiter = store.limiter("many", MANY);
            RedisServer master = masterOfAlice();
            RedisServer replica = cluster.replicaOf(master);
            assertThat(limiter.decide("alice", 500).remaining()).isEqualTo(500);
            Eventually.holds("the replica knows", SOON, () -> !replica.keys().isEmpty());
            master.kill();
            assertThatItGoesOn(store, limiter, replica);
            master.restart();
        }
    }

    /** The same when the master is only frozen, so that whoever asks it waits. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aFrozenMasterIsReplaced(Client client) {
        RedisServer master = masterOfAlice();
        RedisServer replica = cluster.replicaOf(master);
        try (RedisStore store = failingOver(client)) {
            Limiter limiter = store.limiter("many", MANY);
            assertThat(limiter.decide("alice", 500).remaining()).isEqualTo(500);
            Eventually.holds("the replica knows", SOON, () -> !replica.keys().isEmpty());
            master.pause();
            assertThatItGoesOn(store, limiter, replica);
        } finally {
            master.resume();
        }
        Eventually.holds(
                "the old master is a replica",
                SOON,
                () -> cluster.replicaOf(replica).equals(master));
    }

    /** Everyone at once, as when power fails: the store waits, and goes on when they are back. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void theWholeClusterIsStartedAgain(Client client) {
        try (RedisStore store = failingOver(client)) {
            Limiter limiter = store.limiter("many", ONE);
            assertThat(limiter.tryAcquire("alice")).isTrue();
            List<RedisServer> servers = cluster.servers();
            servers.forEach(RedisServer::kill);
            Eventually.holds("the store has noticed", SOON, () -> {
                limiter.tryAcquire("alice");
                return store.counters().failures() + store.counters().timeouts() > 0;
            });
            servers.forEach(RedisServer::restart);
            cluster.awaitReady();
            Eventually.holds(
                    "the store asks again", SOON, () -> !store.counters().open() && limiter.tryAcquire("bob"));
            assertThat(cluster.masters().stream().mapToLong(each -> each.number("DBSIZE")))
                    .anyMatch(keys -> keys > 0);
        }
    }

    private static RedisStore failingOver(Client client) {
        return RedisStore.builder()
                .url(cluster.url())
                .client(client)
                .timeout(TIMEOUT)
                .onFailure(OnFailure.DENY)
                .build();
    }

    private static RedisServer masterOfAlice() {
        return masterOf("many", "alice");
    }

    private static RedisServer masterOf(String limiter, String key) {
        return cluster.masterOf(new KeyNames("sluice", limiter).of(key, List.of("2T1h"))[0]);
    }

    /** How many of twenty requests to a limit of one and to another limit are allowed. */
    private static long allowedTogether(RedisStore store, String oneKey, String moreKey) {
        Limiter one = store.limiter("one", ONE);
        Limiter more = store.limiter("more", MANY);
        List<Charge> charges = List.of(new Charge(one, oneKey, 1), new Charge(more, moreKey, 1));
        return Stream.generate(() -> store.decideAll(charges).join())
                .limit(20)
                .filter(decisions -> decisions.stream().allMatch(Decision::allowed))
                .count();
    }

    private static boolean timed(Limiter limiter, AtomicLong slowest) {
        long start = System.nanoTime();
        boolean allowed = limiter.tryAcquire("alice");
        slowest.accumulateAndGet(System.nanoTime() - start, Math::max);
        return allowed;
    }

    private static void assertThatItGoesOn(RedisStore store, Limiter limiter, RedisServer replica) {
        AtomicLong slowest = new AtomicLong();
        long start = System.nanoTime();
        Eventually.holds("the replica is promoted", SOON, () -> {
            timed(limiter, slowest);
            return masterOfAlice().equals(replica);
        });
        long promoted = System.nanoTime();
        Eventually.holds(
                "the replica is asked",
                SOON,
                () -> timed(limiter, slowest),
                () -> store.counters().toString());
        long asked = System.nanoTime();
        System.out.printf(
                "promoted after %d ms, asked %d ms later, slowest call %d ms, %s%n",
                Duration.ofNanos(promoted - start).toMillis(),
                Duration.ofNanos(asked - promoted).toMillis(),
                Duration.ofNanos(slowest.get()).toMillis(),
                store.counters());
        Eventually.holds(
                "the breaker is closed again", SOON, () -> !store.counters().open());
        // 500 were taken before, and one by every call that was answered, or whose answer was too late
        Eventually.holds(
                "it is asked about Alice", SOON, () -> limiter.decide("alice").allowed());
        assertThat(limiter.peek("alice", 0).remaining()).isBetween(400L, 498L);
        assertThat(store.counters().deniedByPolicy()).isPositive();
        // twice the timeout, and something for a busy machine
        assertThat(Duration.ofNanos(slowest.get())).isLessThan(TIMEOUT.multipliedBy(3));
    }
}
