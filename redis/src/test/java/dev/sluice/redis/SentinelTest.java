package dev.sluice.redis;

import static dev.sluice.redis.ConnectionTest.assertThatItLimits;
import static dev.sluice.redis.ConnectionTest.storeOn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisSentinels;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A master that real Sentinels watch, with each client. */
@Timeout(120)
@Tag("full")
class SentinelTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static RedisSentinels group;

    @BeforeAll
    static void start() {
        group = RedisSentinels.start("--requirepass", "secret");
    }

    @AfterAll
    static void end() {
        group.close();
    }

    @BeforeEach
    void forget() {
        group.awaitReady();
        group.master().command("FLUSHALL");
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void theMasterIsFound(Client client) {
        try (RedisStore store = storeOn(client, url()).build()) {
            assertThatItLimits(store);
            assertThat(group.master().keys()).containsExactly("sluice:{login:alice}:1F1h");
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aUserAndADatabase(Client client) {
        group.servers()
                .forEach(server -> server.command(
                        "ACL SETUSER limiter on >geheim ~sluice:* -@all +ping +evalsha +eval +time +get +set +getrange +setrange +pexpire +pttl +exists +del +select"
                                .split(" ", -1)));
        String url = group.url().replace("://", "://limiter:geheim@").replace("#", "/3#");
        try (RedisStore store = storeOn(client, url).build()) {
            assertThatItLimits(store);
            assertThat(group.master().text("INFO", "keyspace"))
                    .contains("db3:keys=1,")
                    .doesNotContain("db0:");
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aMasterThatNobodyKnowsIsSaid(Client client) {
        try (ConnectionFailingTest.Log log = new ConnectionFailingTest.Log();
                RedisStore store = storeOn(client, url().replace("#mymaster", "#other"))
                        .onFailure(OnFailure.DENY)
                        .build()) {
            assertThat(store.counters().open()).isTrue();
            assertThat(log.text())
                    .contains("cannot connect to redis-sentinel://")
                    .contains("#other: ");
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void sentinelsWithAPasswordOfTheirOwn(Client client) {
        try (RedisSentinels protectedGroup =
                RedisSentinels.startWithSentinelPassword("sentinel-secret", "--requirepass", "redis-secret")) {
            String url = protectedGroup.url();
            try (RedisStore store = storeOn(client, url)
                    .credentials("default", () -> "redis-secret")
                    .sentinelCredentials("default", () -> "sentinel-secret")
                    .build()) {
                assertThatItLimits(store);
            }
            try (ConnectionFailingTest.Log log = new ConnectionFailingTest.Log();
                    RedisStore store = storeOn(client, url)
                            .credentials("default", () -> "redis-secret")
                            .build()) {
                assertThat(store.counters().open()).isTrue();
                assertThat(log.text()).contains("cannot connect to redis-sentinel://");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aPlainAddressOfASentinelIsSaid(Client client) {
        try (ConnectionFailingTest.Log log = new ConnectionFailingTest.Log();
                RedisStore store =
                        storeOn(client, group.sentinels().get(0).url()).build()) {
            assertThat(store.counters().open()).isTrue();
            assertThat(log.text())
                    .contains("there is a Sentinel and not Redis: write redis-sentinel://host:port#master");
        }
    }

    /** The master dies: the promoted replica is called, and has the state that was replicated. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void theMasterIsReplaced(Client client) {
        RedisServer master = group.master();
        try {
            assertThatTheNextIsAsked(client, master, master::kill);
        } finally {
            master.restart();
        }
        group.rejoin(master);
    }

    /** The same when it is only frozen, so that no connection breaks. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aFrozenMasterIsReplaced(Client client) {
        RedisServer master = group.master();
        try {
            assertThatTheNextIsAsked(client, master, master::pause);
        } finally {
            master.resume();
        }
        group.rejoin(master);
    }

    private static void assertThatTheNextIsAsked(Client client, RedisServer master, Runnable fault) {
        try (RedisStore store = RedisStore.builder()
                .url(url())
                .client(client)
                .timeout(Duration.ofMillis(250))
                .onFailure(OnFailure.DENY)
                .build()) {
            Limiter limiter = store.limiter("login", Limit.fixedWindow(1000, Duration.ofHours(1)));
            assertThat(limiter.decide("alice", 500).remaining()).isEqualTo(500);
            Eventually.holds(
                    "the replicas know",
                    SOON,
                    () -> group.servers().stream()
                            .noneMatch(server -> server.keys().isEmpty()));
            long start = System.nanoTime();
            fault.run();
            Eventually.holds("a replica is promoted", SOON, () -> {
                limiter.tryAcquire("alice");
                return !group.master().equals(master);
            });
            long promoted = System.nanoTime();
            Eventually.holds("the replica is asked", SOON, () -> limiter.tryAcquire("alice"));
            System.out.printf(
                    "promoted after %d ms, asked %d ms later, %s%n",
                    Duration.ofNanos(promoted - start).toMillis(),
                    Duration.ofNanos(System.nanoTime() - promoted).toMillis(),
                    store.counters());
            Eventually.holds("it knows what was taken", SOON, () -> {
                long remaining = limiter.peek("alice", 0).remaining();
                return remaining >= 400 && remaining <= 499;
            });
            assertThat(store.counters().deniedByPolicy()).isPositive();
        }
    }

    private static String url() {
        return group.url().replace("://", "://:secret@");
    }
}
