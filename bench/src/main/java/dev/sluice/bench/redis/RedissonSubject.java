package dev.sluice.bench.redis;

import java.net.URI;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.redisson.Redisson;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson with its defaults. The rate of each key is kept in Redis, so it is set beforehand. */
final class RedissonSubject implements Subject {
    private static final int KEYS_AT_ONCE = 250;

    private final RedissonClient client;
    private final Quota quota;

    RedissonSubject(String url, Quota quota) {
        URI address = URI.create(url);
        Config config = new Config();
        config.useSingleServer()
                .setAddress("redis://" + address.getAuthority())
                .setDatabase(Integer.parseInt(address.getPath().substring(1)));
        this.client = Redisson.create(config);
        this.quota = quota;
    }

    @Override
    public void prepare(String... keys) {
        for (int from = 0; from < keys.length; from += KEYS_AT_ONCE) {
            CompletableFuture<?>[] set = Arrays.stream(keys, from, Math.min(keys.length, from + KEYS_AT_ONCE))
                    .map(key -> client.getRateLimiter(key)
                            .trySetRateAsync(RateType.OVERALL, quota.permits(), quota.period())
                            .toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(set).join();
        }
    }

    @Override
    public boolean tryAcquire(String key) {
        return client.getRateLimiter(key).tryAcquire(1);
    }

    @Override
    public void tryAcquire(String key, Reply reply) {
        reply.await(client.getRateLimiter(key).tryAcquireAsync(1), allowed -> allowed);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
