package dev.sluice.redis;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.redis.servers.RedisServer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
            assertThat(first.join().allowed())
                    .as("by the limiter of this process")
                    .isTrue();
            assertThat(second.join().allowed()).as("nobody waits any more").isFalse();
            assertThat(limiter.acquire("a", 1, ofMinutes(20)).allowed()).isFalse();
            assertThat(store.counters().decidedLocally()).isPositive();
        }
    }
}
