package dev.sluice.bench.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.RedisStoreBuilder.Client;
import java.time.Duration;

/**
 * Sluice. A request that Redis does not answer is denied, which fails the benchmark: no figure counts decisions that were
 * made without Redis.
 */
final class SluiceSubject implements Subject {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final RedisStore store;
    private final Limiter limiter;

    SluiceSubject(String url, Client client, Limit limit) {
        this.store = RedisStore.builder()
                .url(url)
                .client(client)
                .timeout(PATIENCE)
                .onFailure(OnFailure.DENY)
                .build();
        this.limiter = store.limiter("api", limit);
    }

    @Override
    public boolean tryAcquire(String key) {
        return limiter.tryAcquire(key);
    }

    @Override
    public void tryAcquire(String key, Reply reply) {
        reply.await(limiter.decideAsync(key, 1), Decision::allowed);
    }

    @Override
    public void close() {
        store.close();
    }

    @Override
    public String toString() {
        return limiter + " " + store.counters();
    }
}
