package dev.sluice.bench.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.RedisStoreBuilder.Client;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Sluice, with one limiter or with several that keys are divided among. A request that Redis does not answer is denied, which fails the benchmark: no figure counts decisions that were
 * made without Redis.
 */
final class SluiceSubject implements Subject {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final RedisStore store;
    private final List<Limiter> limiters = new ArrayList<>();

    SluiceSubject(String url, Client client, Limit... limits) {
        this.store = RedisStore.builder()
                .url(url)
                .client(client)
                .timeout(PATIENCE)
                .onFailure(OnFailure.DENY)
                .build();
        for (Limit limit : limits) {
            limiters.add(store.limiter("api", limit));
        }
    }

    @Override
    public boolean tryAcquire(String key) {
        return of(key).tryAcquire(key);
    }

    @Override
    public void tryAcquire(String key, Reply reply) {
        reply.await(of(key).decideAsync(key, 1), Decision::allowed);
    }

    private Limiter of(String key) {
        return limiters.size() == 1 ? limiters.get(0) : limiters.get(Math.floorMod(key.hashCode(), limiters.size()));
    }

    @Override
    public void close() {
        store.close();
    }

    @Override
    public String toString() {
        return limiters + " " + store.counters();
    }
}
