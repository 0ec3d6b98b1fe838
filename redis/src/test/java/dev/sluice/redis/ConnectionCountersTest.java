package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisCounters.BreakerState;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.combine.Combiner;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The counters of a store tell what happened on its connection. */
@Timeout(60)
class ConnectionCountersTest {
    private static final Limit MANY = Limit.fixedWindow(1_000_000, Duration.ofHours(1));
    private static final Duration SOON = Duration.ofSeconds(20);

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void decisionsAndCommandsAreCountedApart(Client client) {
        try (RedisStore store = builder(client, server.url()).build()) {
            Limiter limiter = store.limiter("counted", Limit.fixedWindow(1, Duration.ofHours(1)));
            Decision taken = limiter.decide("a");
            assertThat(taken.allowed()).isTrue();
            limiter.decide("a");
            limiter.decide("a"); // known to be denied
            assertThat(store.counters().asked()).isEqualTo(2);
            assertThat(store.counters().calls()).isEqualTo(2);
            limiter.refundAsync("a", taken).join();
            limiter.reset("a");
            assertThat(store.counters().asked()).isEqualTo(2);
            assertThat(store.counters().calls()).isEqualTo(4);
            assertThat(store.counters().inFlight()).isZero();
            assertThat(store.counters().breakers().values()).containsExactly(BreakerState.CLOSED);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void callsAboveTheBoundAreDecidedByThePolicyAtOnce(Client client) {
        try (RedisServer server = RedisServer.start();
                RedisStore store = builder(client, server.url()).maxInFlight(10).build()) {
            Limiter limiter = store.limiter("bounded", MANY);
            assertThat(limiter.tryAcquire("a")).isTrue();
            server.pause();
            try {
                List<CompletableFuture<Decision>> calls = Stream.generate(() -> limiter.decideAsync("a", 1))
                        .limit(1 + 50 * Combiner.MAX_REQUESTS) // the first goes alone, then as many together as may be
                        .toList();
                long refused = 41 * Combiner.MAX_REQUESTS;
                assertThat(calls.stream().filter(CompletableFuture::isDone)).hasSize((int) refused);
                assertThat(store.counters().inFlight()).isEqualTo(10);
                assertThat(store.counters().refusals()).isEqualTo(41);
                assertThat(store.counters().deniedByPolicy()).isEqualTo(refused);
            } finally {
                server.resume();
            }
            Eventually.holds("all are answered", SOON, () -> store.counters().inFlight() == 0);
            assertThat(limiter.tryAcquire("a")).isTrue();
        }
    }

    @Test
    void lateRepliesAreCounted() {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = builder(Client.LETTUCE, proxy.url())
                        .timeout(Duration.ofMillis(100))
                        .build()) {
            Limiter limiter = store.limiter("late", MANY);
            Eventually.holds("Redis decides", SOON, () -> limiter.tryAcquire("a"));
            long before = store.counters().late();
            proxy.delay(Duration.ofMillis(300));
            assertThat(limiter.tryAcquire("a")).isFalse();
            Eventually.holds("the reply has come", SOON, () -> store.counters().late() > before);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aConnectionInPlaceOfASilentOneIsCounted(Client client) {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = builder(client, proxy.url())
                        .timeout(Duration.ofMillis(100))
                        .build()) {
            Limiter limiter = store.limiter("replaced", MANY);
            Eventually.holds("Redis decides", SOON, () -> limiter.tryAcquire("a"));
            assertThat(store.counters().breakers()).containsOnlyKeys("127.0.0.1:" + proxy.port());
            proxy.delay(Duration.ofSeconds(30));
            Eventually.holds("the breaker opens", SOON, () -> {
                limiter.tryAcquire("a");
                return store.counters().breakers().containsValue(BreakerState.OPEN);
            });
            assertThat(store.counters().open()).isTrue();
            proxy.deliverAll(); // what is on its way stays late
            Eventually.holds("Redis decides again", SOON, () -> limiter.tryAcquire("a"));
            assertThat(store.counters().open()).isFalse();
            if (client == Client.LETTUCE) { // Jedis makes a connection for each ping
                assertThat(store.counters().reconnects()).isPositive();
            }
        }
    }

    private static RedisStoreBuilder builder(Client client, String url) {
        return RedisStore.builder()
                .url(url)
                .client(client)
                .timeout(Duration.ofSeconds(10))
                .onFailure(OnFailure.DENY);
    }
}
