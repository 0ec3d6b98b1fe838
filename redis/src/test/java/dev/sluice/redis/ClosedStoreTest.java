package dev.sluice.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that was closed follows its policy, and leaves nobody waiting. */
@Timeout(30)
class ClosedStoreTest {
    @Test
    void whoWaitsIsAnsweredAndSoIsWhoComesAfter() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            RedisStore store =
                    RedisStore.builder().url(server.url()).timeout(ofSeconds(5)).build();
            Limiter limiter = store.limiter("closing", Limit.slidingLog(1, ofMinutes(10)));
            assertThat(limiter.tryAcquire("a")).isTrue();
            CompletableFuture<Decision> first = limiter.acquireAsync("a", 1, ofMinutes(20));
            CompletableFuture<Decision> second = limiter.acquireAsync("a", 1, ofMinutes(20));
            store.close();
            assertThat(Stream.of(first, second).filter(each -> each.join().allowed()))
                    .as("the limiter of this process has one permit, and nobody waits any more")
                    .hasSize(1);
            assertThat(limiter.acquire("a", 1, ofMinutes(20)).allowed()).isFalse();
            assertThat(store.counters().decidedLocally()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void callsUnderWayAreAnsweredAtOnce(Client client) throws Exception {
        try (RedisServer server = RedisServer.start()) {
            RedisStore store = RedisStore.builder()
                    .url(server.url())
                    .client(client)
                    .timeout(ofSeconds(20))
                    .onFailure(OnFailure.DENY)
                    .build();
            Limiter limiter = store.limiter("closing", Limit.slidingLog(100, ofMillis(500)));
            assertThat(limiter.tryAcquire("a")).isTrue();
            server.pause();
            try {
                List<CompletableFuture<Decision>> calls = Stream.generate(() -> limiter.decideAsync("a", 1))
                        .limit(100)
                        .toList();
                assertThat(calls).noneMatch(CompletableFuture::isDone);
                store.close();
                assertThat(calls).allMatch(CompletableFuture::isDone);
                assertThat(limiter.decideAsync("a", 1)).isDone();
                store.close(); // once more does no harm
            } finally {
                server.resume();
            }
        }
    }

    /** Lettuce completes a call on the thread that it needs to close its connections. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aContinuationMayCloseTheStore(Client client) throws Exception {
        try (RedisServer server = RedisServer.start()) {
            RedisStore store = RedisStore.builder()
                    .url(server.url())
                    .client(client)
                    .timeout(ofSeconds(20))
                    .onFailure(OnFailure.DENY)
                    .build();
            Limiter limiter = store.limiter("closing", Limit.slidingLog(100, ofMillis(500)));
            assertThat(limiter.tryAcquire("a")).isTrue();
            server.pause();
            CompletableFuture<Void> closed;
            try {
                closed = limiter.decideAsync("a", 1).thenRun(store::close);
            } finally {
                server.resume();
            }
            closed.get(15, TimeUnit.SECONDS);
            assertThat(limiter.decideAsync("a", 1)).isDone();
            Eventually.holds(
                    "the connections are closed",
                    ofSeconds(10),
                    () -> server.text("CLIENT", "LIST").lines().count() == 1);
        }
    }
}
