package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisBinary;
import dev.sluice.redis.servers.RedisServer;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.RedisClient;

/** The ways to a single Redis, with each client. */
@Timeout(60)
class ConnectionTest {
    private static final Limit THREE = Limit.fixedWindow(3, Duration.ofHours(1));
    private static final String PASSWORD = "s3cr+t%@:/#?ü";
    private static final String PASSWORD_IN_URL = "s3cr+t%25%40%3A%2F%23%3F%C3%BC";

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.command("FLUSHALL");
    }

    static Stream<Arguments> clientsAndBinaries() {
        return RedisBinary.all().stream()
                .flatMap(binary -> Stream.of(Client.values()).map(client -> Arguments.of(client, binary)));
    }

    @ParameterizedTest
    @MethodSource("clientsAndBinaries")
    void aUrl(Client client, RedisBinary binary) {
        try (RedisServer server = RedisServer.start(binary);
                RedisStore store = storeOn(client, server.url()).build()) {
            assertThatItLimits(store);
            assertThat(server.keys()).containsExactly("sluice:{login:alice}:1F1h");
        }
    }

    @Test
    void aUrlAlone() {
        try (RedisStore store = RedisStore.connect(server.url())) {
            Limiter login = store.limiter("login", THREE);
            // its timeout is 50 milliseconds, and this machine may be busy
            Eventually.holds("Redis answers in time", Duration.ofSeconds(20), () -> {
                login.tryAcquire("alice");
                return server.keys().contains("sluice:{login:alice}:1F1h");
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void storesOfOneRedisShareTheirCounters(Client client) {
        try (RedisStore one = storeOn(client, server.url()).build();
                RedisStore other = storeOn(Client.LETTUCE, server.url()).build();
                RedisStore elsewhere =
                        storeOn(client, server.url()).prefix("other").build()) {
            one.limiter("login", THREE).decide("alice", 2);
            assertThat(other.limiter("login", THREE).decide("alice").remaining())
                    .isZero();
            assertThat(other.limiter("logout", THREE).decide("alice").remaining())
                    .isEqualTo(2);
            assertThat(elsewhere.limiter("login", THREE).decide("alice").remaining())
                    .isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aPassword(Client client) {
        try (RedisServer server = RedisServer.start("--requirepass", PASSWORD);
                RedisStore store = storeOn(client, "redis://:" + PASSWORD_IN_URL + "@127.0.0.1:" + server.port())
                        .build()) {
            assertThatItLimits(store);
        }
    }

    /** With no more rights than the documentation says are needed. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aUserWithAPassword(Client client) {
        try (RedisServer server = RedisServer.start("--requirepass", "of the default user")) {
            server.command(
                    "ACL SETUSER limiter on ~shop:* -@all +ping +evalsha +eval +time +get +set +getrange +setrange +pexpire +pttl +exists +del"
                            .concat(" >" + PASSWORD)
                            .split(" ", -1));
            String url = "redis://limiter:" + PASSWORD_IN_URL + "@127.0.0.1:" + server.port();
            try (RedisStore store = storeOn(client, url).prefix("shop:limits").build()) {
                assertThatItLimits(store);
                assertThat(server.keys()).containsExactly("shop:limits:{login:alice}:1F1h");
            }
        }
    }

    /** As the tokens of a cloud's identity service do. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aPasswordThatChanges(Client client) {
        try (RedisServer server = RedisServer.start()) {
            server.command("ACL", "SETUSER", "limiter", "on", ">first", "~*", "+@all");
            AtomicReference<String> password = new AtomicReference<>("first");
            try (RedisStore store = storeOn(client, server.url())
                    .credentials("limiter", () -> Objects.requireNonNull(password.get()))
                    .onFailure(OnFailure.DENY)
                    .build()) {
                assertThatItLimits(store);
                server.command("ACL", "SETUSER", "limiter", "resetpass", ">second");
                password.set("second");
                server.command("CLIENT", "KILL", "USER", "limiter");
                Limiter limiter = store.limiter("again", Limit.fixedWindow(1000, Duration.ofHours(1)));
                Eventually.holds("Redis decides", Duration.ofSeconds(20), () -> limiter.tryAcquire("bob"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aSupplierWithoutAPasswordIsSaid(Client client) {
        try (ConnectionFailingTest.Log log = new ConnectionFailingTest.Log();
                RedisStore store = storeOn(client, server.url())
                        .credentials("limiter", () -> "")
                        .build()) {
            assertThat(store.counters().open()).isTrue();
            assertThat(log.text()).contains("the supplier of the password of limiter returned none");
        }
    }

    @Test
    void aLettuceConnectionWithAnyCodec() {
        io.lettuce.core.RedisClient client = io.lettuce.core.RedisClient.create(server.url());
        try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
                RedisStore store = RedisStore.builder()
                        .connection(connection)
                        .timeout(Duration.ofSeconds(10))
                        .build()) {
            assertThatItLimits(store);
            store.limiter("login", THREE).reset("alice");
            assertThat(server.keys()).isEmpty();
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofMillis(100));
        }
    }

    @Test
    void optionsThatDoNotFitAreSaid() {
        assertThatThrownBy(() -> RedisStore.builder()
                        .url("redis://:secret@h")
                        .credentials("user", () -> "x")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leave out what stands before the '@' of redis://h:6379")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> RedisStore.builder()
                        .url("redis://h")
                        .sentinelCredentials("user", () -> "x")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("redis://h:6379 names none: write redis-sentinel://");
        assertThatThrownBy(() -> RedisStore.builder().credentials("", () -> "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write \"default\" for the default user");
        assertThatThrownBy(() -> RedisStore.builder().maxInFlight(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxInFlight must be 1 or more, was 0");
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aDatabase(Client client) {
        try (RedisStore store = storeOn(client, server.url() + "/5").build()) {
            assertThatItLimits(store);
            assertThat(server.text("INFO", "keyspace")).contains("db5:keys=1,").doesNotContain("db0:");
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aPrefix(Client client) {
        try (RedisStore store = storeOn(client, server.url()).prefix("shop:{1}").build()) {
            Limiter both = store.limiter(
                    "ip:day",
                    Limit.tokenBucket(10, Duration.ofSeconds(1)),
                    Limit.slidingLog(1000, Duration.ofDays(1)),
                    Limit.fixedWindow(10_000, Duration.ofDays(2)));
            assertThat(both.tryAcquire("203.0.113.9")).isTrue();
            assertThat(server.keys())
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(name).startsWith("shop:%7B1%7D:{ip%3Aday:203.0.113.9}:"));
        }
    }

    @Test
    void aLettuceConnectionStaysOpen() {
        io.lettuce.core.RedisClient client = io.lettuce.core.RedisClient.create(server.url());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
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
        try (RedisClient client = RedisClient.create("127.0.0.1", server.port())) {
            try (RedisStore store = RedisStore.builder()
                    .jedis(client)
                    .timeout(Duration.ofSeconds(10))
                    .build()) {
                assertThatItLimits(store);
            }
            assertThat(client.ping()).isEqualTo("PONG");
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void scriptsThatAreForgottenAreTaughtAgain(Client client) {
        try (RedisStore store = storeOn(client, server.url()).build()) {
            Limiter limiter = store.limiter("login", Limit.fixedWindow(100, Duration.ofHours(1)));
            for (int i = 1; i <= 20; i++) {
                Decision decision = limiter.decide("alice");
                assertThat(decision.remaining()).isEqualTo(100 - i);
                server.command("SCRIPT", "FLUSH");
            }
            Decision taken = limiter.decide("alice", 10);
            server.command("SCRIPT", "FLUSH");
            limiter.refund("alice", taken);
            Eventually.holds(
                    "it was given back",
                    Duration.ofSeconds(10),
                    () -> limiter.peek("alice", 0).remaining() == 80);
            assertThatNothingFailed(store);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aClosedStoreLeavesNothingBehind(Client client) {
        try (RedisStore store = storeOn(client, server.url()).build()) {
            assertThatItLimits(store);
        }
        Eventually.holds(
                "no connection is left",
                Duration.ofSeconds(10),
                () -> server.text("CLIENT", "LIST").lines().count() == 1);
    }

    @Test
    void aStoreIsSaidOnce() {
        assertThatThrownBy(() -> RedisStore.builder().build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no address of Redis");
        try (RedisClient jedis = RedisClient.create("127.0.0.1", server.port())) {
            assertThatThrownBy(() ->
                            RedisStore.builder().jedis(jedis).url(server.url()).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "a connection was given: url, client, trust, identity, credentials and sentinelCredentials cannot be set as well");
        }
        assertThatThrownBy(() -> RedisStore.connect("redis://h:99999"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a port is 1 to 65535, was 99999");
        assertThatThrownBy(() -> RedisStore.builder().trust(Path.of("no", "such.pem")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not certificates in PEM: no/such.pem");
    }

    static RedisStoreBuilder storeOn(Client client, String url) {
        return RedisStore.builder().url(url).client(client).timeout(Duration.ofSeconds(10));
    }

    /** Three for Alice, and that by Redis. */
    static void assertThatItLimits(RedisStore store) {
        Limiter login = store.limiter("login", THREE);
        assertThat(Stream.generate(() -> login.tryAcquire("alice")).limit(4)).containsExactly(true, true, true, false);
        assertThatNothingFailed(store);
    }

    static void assertThatNothingFailed(RedisStore store) {
        RedisCounters counters = store.counters();
        assertThat(List.of(counters.timeouts(), counters.failures(), counters.decidedLocally(), counters.timesOpened()))
                .as(counters.toString())
                .containsOnly(0L);
    }
}
