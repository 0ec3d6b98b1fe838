package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever is wrong with a Redis behind one address, every call ends in time, and Redis is used again soon after it is well.
 */
@Timeout(60)
@Tag("full")
class ConnectionHealingTest {
    private static final Limit MANY = Limit.fixedWindow(1_000_000, Duration.ofHours(1));
    private static final Duration TIMEOUT = Duration.ofMillis(50);
    /** Twice the timeout, and something for a busy machine. */
    private static final Duration LONGEST = TIMEOUT.multipliedBy(2).plusMillis(400);
    /** A second, and something for a busy machine. */
    private static final Duration HEALED = Duration.ofSeconds(2);

    private static final Duration SOON = Duration.ofSeconds(20);

    static Stream<Arguments> nonsense() {
        return Stream.of(Client.values())
                .flatMap(client -> Stream.of(
                                "$3\r\nabc\r\n", "$0\r\n\r\n", "$-1\r\n", ":42\r\n", "*2\r\n:1\r\n:2\r\n", "hello\r\n")
                        .map(reply -> Arguments.of(client, reply)));
    }

    static Stream<Arguments> errors() {
        return Stream.of(Client.values())
                .flatMap(client -> Stream.of(
                                "LOADING Redis is loading the dataset in memory",
                                "BUSY Redis is busy running a script",
                                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                                "CLUSTERDOWN The cluster is down",
                                "MOVED 3999 127.0.0.1:1",
                                "NOAUTH Authentication required.",
                                "NOPERM this user has no permissions to run the 'evalsha' command",
                                "OOM command not allowed when used memory > 'maxmemory'.",
                                "MISCONF Redis is configured to save RDB snapshots",
                                "NOREPLICAS Not enough good replicas to write.",
                                "ERR something new")
                        .map(error -> Arguments.of(client, error)));
    }

    /** A managed failover behind one address leaves the old master as a replica for a while. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aDemotedMasterIsUsedAgainWhenItIsPromoted(Client client) {
        try (RedisServer other = RedisServer.start();
                RedisServer server = RedisServer.start();
                RedisStore store = store(client, server.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            server.command("REPLICAOF", "127.0.0.1", Integer.toString(other.port()));
            Eventually.holds("the policy decides", SOON, () -> !byRedis(limiter));
            assertThatCallsEndInTime(limiter, Duration.ofMillis(700));
            assertThat(store.counters().open()).isTrue();
            server.command("REPLICAOF", "NO", "ONE");
            assertThatItHeals(store, limiter);
        }
    }

    /** The same where the address leads to the new master, and open connections stay with the old one. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void anAddressThatLeadsToANewMasterIsFollowed(Client client) {
        try (RedisServer promoted = RedisServer.start();
                RedisServer demoted = RedisServer.start();
                FaultyProxy proxy = FaultyProxy.to(demoted);
                RedisStore store = store(client, proxy.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            demoted.command("REPLICAOF", "127.0.0.1", Integer.toString(promoted.port()));
            Eventually.holds("the policy decides", SOON, () -> !byRedis(limiter));
            proxy.leadTo(promoted);
            assertThatItHeals(store, limiter);
            assertThat(promoted.keys()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void lateRepliesAreNotWaitedForForEver(Client client) {
        try (RedisServer server = RedisServer.start();
                FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = store(client, proxy.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            proxy.delay(Duration.ofMillis(70));
            List<Duration> calls = assertThatCallsEndInTime(limiter, Duration.ofSeconds(2));
            long waited = calls.stream().filter(call -> call.toMillis() >= 40).count();
            assertThat(waited)
                    .as("calls that waited out the timeout, of " + calls.size())
                    .isLessThan(20);
            proxy.deliverAll();
            assertThatItHeals(store, limiter);
        }
    }

    /** A ping is quick where only scripts are late. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aQuickPingDoesNotCallLateScriptsWell(Client client) throws InterruptedException {
        try (RedisServer server = RedisServer.start();
                FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = store(client, proxy.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            proxy.delayTexts(Duration.ofMillis(70));
            CountDownLatch ended = new CountDownLatch(16);
            long until = System.nanoTime() + Duration.ofSeconds(4).toNanos();
            AtomicLong longest = new AtomicLong();
            for (int i = 0; i < 16; i++) {
                Thread thread = new Thread(() -> {
                    while (System.nanoTime() - until < 0) {
                        long start = System.nanoTime();
                        limiter.tryAcquire("k");
                        longest.accumulateAndGet(System.nanoTime() - start, Math::max);
                        pause(5);
                    }
                    ended.countDown();
                });
                thread.setDaemon(true);
                thread.start();
            }
            assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(store.counters().timesOpened())
                    .as(store.counters().toString())
                    .isBetween(1L, 4L);
            assertThat(Duration.ofNanos(longest.get())).isLessThan(LONGEST);
            proxy.deliverAll();
            assertThatItHeals(store, limiter);
        }
    }

    @ParameterizedTest
    @MethodSource("nonsense")
    void nonsenseIsDecidedByThePolicy(Client client, String reply) {
        try (RedisServer server = RedisServer.start();
                FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = store(client, proxy.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            proxy.replaceTexts(reply);
            for (int i = 0; i < 20; i++) {
                CompletableFuture<Decision> call = limiter.decideAsync("k", 1);
                Decision decision =
                        call.completeOnTimeout(null, 2, TimeUnit.SECONDS).join();
                assertThat(decision).as("call " + i).isNotNull();
                assertThat(decision.source()).isNotEqualTo(Source.REDIS);
            }
            proxy.deliverAll();
            assertThatItHeals(store, limiter);
        }
    }

    /** Where a reply too many has come, each reply after it is that of another call. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void repliesThatAreOutOfStepAreNotUsed(Client client) {
        try (RedisServer server = RedisServer.start();
                FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = store(client, proxy.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            Limiter one = store.limiter("one", Limit.fixedWindow(1, Duration.ofHours(1)));
            proxy.insertBeforeTexts("$3\r\nabc\r\n");
            assertThat(one.decide("first").source()).isNotEqualTo(Source.REDIS);
            proxy.deliverAll();
            for (int i = 0; i < 200; i++) {
                Decision decision = one.decide("key-" + i / 2);
                if (decision.source() == Source.REDIS && decision.allowed()) {
                    // the denial of the second call on a key would be taken for that of the next key
                    assertThat(one.decide("key-" + i / 2).allowed()).isFalse();
                }
            }
            assertThatItHeals(store, limiter);
            assertThat(one.decide("last").allowed()).isTrue();
            assertThat(one.decide("last").allowed()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("errors")
    void anErrorIsDecidedByThePolicy(Client client, String error) {
        try (RedisServer server = RedisServer.start();
                FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = store(client, proxy.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            proxy.replaceTexts("-" + error + "\r\n");
            assertThat(byRedis(limiter)).isFalse();
            assertThatCallsEndInTime(limiter, Duration.ofMillis(400));
            proxy.deliverAll();
            assertThatItHeals(store, limiter);
        }
    }

    /** As when a machine loses its power, or a firewall forgets a connection: no packet says that it is gone. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aSilentConnectionIsReplaced(Client client) {
        try (RedisServer server = RedisServer.start();
                FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = store(client, proxy.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            proxy.silence();
            assertThat(byRedis(limiter)).isFalse();
            assertThatItHeals(store, limiter);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aBrokenConnectionIsMadeAnew(Client client) {
        try (RedisServer server = RedisServer.start();
                FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = store(client, proxy.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            for (int i = 0; i < 3; i++) {
                proxy.cut();
                assertThatItHeals(store, limiter);
            }
        }
    }

    /** As where a class of the application cannot be loaded. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void anErrorWhileConnectingIsNotTheLastAttempt(Client client) {
        AtomicReference<@Nullable Throwable> trouble = new AtomicReference<>(new IllegalStateException("no token"));
        AtomicLong errors = new AtomicLong();
        try (RedisServer server = RedisServer.start()) {
            server.command("ACL", "SETUSER", "limiter", "on", ">secret", "~*", "&*", "+@all");
            Supplier<RedisStore> build = () -> RedisStore.builder()
                    .url(server.url())
                    .client(client)
                    .timeout(TIMEOUT)
                    .onFailure(OnFailure.DENY)
                    .credentials("limiter", () -> {
                        if (trouble.get() instanceof Error error) {
                            errors.incrementAndGet();
                            throw error;
                        } else if (trouble.get() instanceof RuntimeException exception) {
                            throw exception;
                        }
                        return "secret";
                    })
                    .build();
            try (RedisStore store = build.get()) {
                Limiter limiter = store.limiter("l", MANY);
                trouble.set(new NoClassDefFoundError("token"));
                Eventually.holds("an attempt meets the error", SOON, () -> !byRedis(limiter) && errors.get() > 0);
                trouble.set(null);
                assertThatItHeals(store, limiter);
            }
            trouble.set(new NoClassDefFoundError("token"));
            try (RedisStore store = build.get()) {
                Limiter limiter = store.limiter("l", MANY);
                assertThat(byRedis(limiter)).isFalse();
                trouble.set(null);
                assertThatItHeals(store, limiter);
            }
        }
    }

    /** A state of another type, which somebody wrote under our name, concerns one key. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aKeyOfAnotherTypeConcernsThatKeyOnly(Client client) {
        try (RedisServer server = RedisServer.start();
                RedisStore store = store(client, server.url())) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            List<String> before = server.keys();
            assertThat(before).hasSize(1);
            String wrong = before.get(0).replace(":k}", ":wrong}");
            server.command("RPUSH", wrong, "1");
            for (int i = 0; i < 10; i++) {
                assertThatItEndsInTime(() -> limiter.decide("wrong"));
                Eventually.holds("the other key is well", HEALED, () -> byRedis(limiter));
            }
            assertThat(store.counters().open()).isFalse();
        }
    }

    @Test
    void callsThatTimeOutDoNotTakeMoreThreads() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = RedisStore.builder()
                        .url(server.url())
                        .timeout(Duration.ofMillis(300))
                        .onFailure(OnFailure.DENY)
                        .build()) {
            Limiter limiter = store.limiter("l", MANY);
            awaitRedis(limiter);
            int before = Thread.activeCount();
            server.pause();
            try {
                List<CompletableFuture<Decision>> calls = new ArrayList<>();
                for (int i = 0; i < 4000; i++) {
                    calls.add(limiter.decideAsync("k" + i, 1).thenApply(decision -> {
                        pause(1);
                        return decision;
                    }));
                }
                AtomicLong most = new AtomicLong();
                Eventually.holds("all calls have ended", SOON, () -> {
                    most.accumulateAndGet(Thread.activeCount(), Math::max);
                    return calls.stream().allMatch(CompletableFuture::isDone);
                });
                assertThat(most.get() - before).as("threads more than before").isLessThan(45);
            } finally {
                server.resume();
            }
        }
    }

    private static RedisStore store(Client client, String url) {
        return RedisStore.builder()
                .url(url)
                .client(client)
                .timeout(TIMEOUT)
                .onFailure(OnFailure.DENY)
                .build();
    }

    private static boolean byRedis(Limiter limiter) {
        return limiter.decide("k").source() == Source.REDIS;
    }

    private static void awaitRedis(Limiter limiter) {
        Eventually.holds("Redis decides", SOON, () -> byRedis(limiter));
    }

    /** Redis decides within a second, and goes on to. */
    private static void assertThatItHeals(RedisStore store, Limiter limiter) {
        Eventually.holds(
                "Redis decides again",
                HEALED,
                () -> byRedis(limiter),
                () -> store.counters().toString());
        int times = 0;
        for (int i = 0; i < 50; i++) {
            times += byRedis(limiter) ? 1 : 0;
        }
        assertThat(times).as(store.counters().toString()).isGreaterThan(40); // this machine may be busy
    }

    private static List<Duration> assertThatCallsEndInTime(Limiter limiter, Duration during) {
        List<Duration> calls = new ArrayList<>();
        long until = System.nanoTime() + during.toNanos();
        while (System.nanoTime() - until < 0) {
            calls.add(assertThatItEndsInTime(() -> limiter.decide("k")));
            pause(2);
        }
        return calls;
    }

    private static Duration assertThatItEndsInTime(Runnable call) {
        long start = System.nanoTime();
        call.run();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertThat(took).isLessThan(LONGEST);
        return took;
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
