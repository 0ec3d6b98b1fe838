package dev.sluice.redis;

import static dev.sluice.redis.ConnectionTest.assertThatItLimits;
import static dev.sluice.redis.ConnectionTest.storeOn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision.Source;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisBinary;
import dev.sluice.redis.servers.RedisServer;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A Redis that is not there, or does not want us: the application starts, and its log says why. */
@Timeout(60)
@Tag("full")
class ConnectionFailingTest {
    private static final Limit THREE = Limit.fixedWindow(3, Duration.ofHours(1));
    private static final Duration SOON = Duration.ofSeconds(20);

    /** What the circuit breaker has logged since this was made. */
    static final class Log extends Handler implements AutoCloseable {
        private final Logger logger;
        private final List<String> lines = new CopyOnWriteArrayList<>();

        Log() {
            this("dev.sluice.redis.client");
        }

        Log(String name) {
            this.logger = Logger.getLogger(name);
            logger.addHandler(this);
        }

        @Override
        public void publish(LogRecord entry) {
            lines.add(new SimpleFormatter().formatMessage(entry));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            logger.removeHandler(this);
        }

        String text() {
            return String.join("\n", lines);
        }
    }

    static Stream<Arguments> clientsAndBinaries() {
        return RedisBinary.all().stream()
                .flatMap(binary -> Stream.of(Client.values()).map(client -> Arguments.of(client, binary)));
    }

    @ParameterizedTest
    @MethodSource("clientsAndBinaries")
    void aStoreMadeBeforeRedisWorksOnceThatIsUp(Client client, RedisBinary binary) {
        try (Log log = new Log();
                RedisServer server = RedisServer.start(binary)) {
            server.kill();
            try (RedisStore store = storeOn(client, server.url()).build()) {
                Limiter allow = store.limiterBuilder("allow", THREE)
                        .onFailure(OnFailure.ALLOW)
                        .build();
                Limiter deny = store.limiterBuilder("deny", THREE)
                        .onFailure(OnFailure.DENY)
                        .build();
                Limiter local = store.limiterBuilder("local", THREE)
                        .onFailure(OnFailure.LOCAL)
                        .build();
                for (int i = 0; i < 10; i++) {
                    assertThat(allow.tryAcquire("a")).isTrue();
                    assertThat(deny.tryAcquire("a")).isFalse();
                    assertThat(local.tryAcquire("a")).isEqualTo(i < 3);
                }
                RedisCounters counters = store.counters();
                assertThat(List.of(counters.allowedByPolicy(), counters.deniedByPolicy(), counters.decidedLocally()))
                        .containsOnly(10L);
                assertThat(counters.open()).isTrue();
                assertThat(log.text())
                        .contains("cannot connect to redis://127.0.0.1:" + server.port() + ": ")
                        .containsIgnoringCase("connection refused");

                server.restart();
                Eventually.holds("Redis is asked", SOON, () -> !store.counters().open());
                long asked = store.counters().asked();
                for (Limiter limiter : List.of(allow, deny, local)) {
                    assertThat(Stream.generate(() -> limiter.tryAcquire("b")).limit(4))
                            .containsExactly(true, true, true, false);
                }
                assertThat(store.counters().asked()).isEqualTo(asked + 12);
                assertThat(server.keys())
                        .containsExactly("sluice:{allow:b}:1F1h", "sluice:{deny:b}:1F1h", "sluice:{local:b}:1F1h");
                assertThat(log.text()).contains("Redis answers again");
            }
        }
    }

    /** Two do not open the circuit breaker. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aCallOrTwoWithoutAReplyAreSaid(Client client) {
        try (RedisServer server = RedisServer.start();
                RedisStore store = storeOn(client, server.url())
                        .timeout(Duration.ofMillis(300))
                        .build();
                Log log = new Log()) {
            Limiter limiter = store.limiter("login", THREE);
            server.pause();
            assertThat(limiter.decide("alice").source()).isEqualTo(Source.LOCAL);
            assertThat(limiter.decide("alice").source()).isEqualTo(Source.LOCAL);
            assertThat(store.counters().open()).isFalse();
            assertThat(log.lines).hasSize(1).first().asString().containsIgnoringCase("in place of Redis");
            limiter.decide("alice");
            assertThat(log.lines).hasSize(2).last().asString().contains("Redis is not called for now: ");
            server.resume();
        }
    }

    /** Whatever the client complains of, it is not of something that this store took away from it. */
    @ParameterizedTest
    @ValueSource(strings = {"redis://127.0.0.1:1", "redis-sentinel://127.0.0.1:1#main", "redis-cluster://127.0.0.1:1"})
    void attemptsInVainLeaveNothingForNettyToComplainOf(String url) {
        try (Log log = new Log("io.netty")) {
            try (RedisStore store = storeOn(Client.LETTUCE, url).build()) {
                long began = System.nanoTime();
                Eventually.holds(
                        "there was time for some attempts, and for their handshakes to end",
                        SOON,
                        () -> System.nanoTime() - began > Duration.ofSeconds(3).toNanos());
                assertThat(store.counters().open()).isTrue();
            }
            assertThat(log.text()).isEmpty();
        }
    }

    /** The handshake of an attempt under way would end after the threads that it needs. */
    @Test
    void closingDuringAnAttemptLeavesNothingEither() {
        try (Log log = new Log("io.netty");
                RedisServer server = RedisServer.start()) {
            server.pause();
            storeOn(Client.LETTUCE, server.url()).build().close(); // the next attempt begins at once
            long began = System.nanoTime();
            Eventually.holds(
                    "the handshakes have had their time",
                    SOON,
                    () -> System.nanoTime() - began > Duration.ofSeconds(3).toNanos());
            server.resume();
            assertThat(log.text()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aWrongPasswordIsSaid(Client client) {
        try (Log log = new Log();
                RedisServer server = RedisServer.start("--requirepass", "right")) {
            try (RedisStore store = storeOn(client, "redis://:wrong-one@127.0.0.1:" + server.port())
                    .onFailure(OnFailure.DENY)
                    .build()) {
                assertThat(store.limiter("login", THREE).tryAcquire("alice")).isFalse();
                assertThat(log.text())
                        .contains("cannot connect to redis://127.0.0.1:" + server.port() + ": WRONGPASS")
                        .doesNotContain("wrong-one");
                server.command("ACL", "SETUSER", "default", ">wrong-one");
                Eventually.holds(
                        "the password is right by now",
                        SOON,
                        () -> !store.counters().open());
                assertThat(store.limiter("login", THREE).tryAcquire("alice")).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void whatRedisDoesNotAcceptIsSaid(Client client) {
        try (RedisServer server = RedisServer.start("--requirepass", "right")) {
            String at = "127.0.0.1:" + server.port();
            assertThat(saidOf(client, "redis://" + at)).contains("redis://" + at + ": NOAUTH");
            assertThat(saidOf(client, "redis://nobody:right@" + at))
                    .contains("redis://" + at + ": WRONGPASS")
                    .doesNotContain("nobody:");
            assertThat(saidOf(client, "redis://:right@" + at + "/99"))
                    .contains("redis://" + at + "/99: ERR DB index is out of range");
            assertThat(saidOf(client, "redis-cluster://:right@" + at)).contains("cluster support disabled");
            assertThat(saidOf(client, "redis-sentinel://" + at + "#mymaster")).contains("mymaster");
            assertThat(saidOf(client, "redis://no-such-host.invalid")).contains("no-such-host.invalid");
        }
    }

    /** Jedis would wait as long again, for a connection in place of the one that is broken. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aFrozenRedisIsWaitedForOnce(Client client) {
        Duration timeout = Duration.ofMillis(500);
        try (RedisServer server = RedisServer.start();
                RedisStore store = storeOn(client, server.url())
                        .timeout(timeout)
                        .onFailure(OnFailure.DENY)
                        .build()) {
            Limiter limiter = store.limiter("login", Limit.fixedWindow(1000, Duration.ofHours(1)));
            Eventually.holds("Redis answers", SOON, () -> limiter.tryAcquire("alice"));
            server.pause();
            for (int i = 0; i < 5; i++) {
                long start = System.nanoTime();
                assertThat(limiter.tryAcquire("alice")).isFalse();
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .as("call " + i)
                        .isLessThan(Duration.ofMillis(900));
            }
            assertThat(store.counters().open()).isTrue();
            server.resume();
            Eventually.holds("Redis answers again", SOON, () -> limiter.tryAcquire("alice"));
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void waitingInVainLeavesNoThreadsBehind(Client client) {
        try (RedisServer server = RedisServer.start()) {
            try (RedisStore store = storeOn(client, server.url()).build()) {
                assertThatItLimits(store); // whatever the client keeps for good
            }
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            server.kill();
            try (Log log = new Log();
                    RedisStore store = storeOn(client, server.url()).build()) {
                assertThat(log.text()).contains("Connection refused");
                long start = System.nanoTime();
                Eventually.holds(
                        "there was time for some attempts",
                        SOON,
                        () -> System.nanoTime() - start > Duration.ofSeconds(2).toNanos());
                assertThat(store.counters().open()).isTrue();
            }
            Eventually.holds(
                    "the threads have ended",
                    SOON,
                    () -> added(before).isEmpty(),
                    () -> added(before).toString());
        }
    }

    private static List<String> added(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .sorted()
                .toList();
    }

    /** What a store with this URL logs while it cannot connect. */
    private static String saidOf(Client client, String url) {
        try (Log log = new Log();
                RedisStore store =
                        storeOn(client, url).onFailure(OnFailure.DENY).build()) {
            assertThat(store.limiter("login", THREE).tryAcquire("alice"))
                    .as(url)
                    .isFalse();
            assertThat(store.counters().open()).as(url).isTrue();
            return log.text();
        }
    }

    /** A client waits a minute for a server that is frozen, unless it is told otherwise. */
    @Test
    void aClientOfTheApplicationThatDoesNotConnectKeepsNobodyWaiting() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            RedisClient client = RedisClient.create(server.url());
            server.pause();
            try (RedisStore store = RedisStore.builder().lettuce(client).build()) {
                Limiter limiter = store.limiter("frozen", OnFailure.DENY, THREE);
                assertThat(limiter.decide("k").source()).isEqualTo(Source.FAILURE_POLICY);
                server.resume();
                Eventually.holds(
                        "Redis decides", SOON, () -> limiter.decide("k").source() == Source.REDIS);
            } finally {
                server.resume();
                client.shutdown();
            }
        }
    }
}
