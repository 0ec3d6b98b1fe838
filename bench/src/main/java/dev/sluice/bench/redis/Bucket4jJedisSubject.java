package dev.sluice.bench.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.serialization.Mapper;
import io.github.bucket4j.redis.jedis.Bucket4jJedis;
import java.net.URI;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** Bucket4j as its documentation sets it up, over a pool of Jedis with a connection for every thread. */
final class Bucket4jJedisSubject implements Subject {
    private final RedisClient jedis;
    private final ProxyManager<String> buckets;
    private final BucketConfiguration configuration;

    Bucket4jJedisSubject(String url, Quota quota) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(64);
        pool.setMaxIdle(64);
        URI address = URI.create(url);
        this.jedis = RedisClient.builder()
                .hostAndPort(address.getHost(), address.getPort())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .database(Integer.parseInt(address.getPath().substring(1)))
                        .build())
                .poolConfig(pool)
                .build();
        this.buckets = Bucket4jJedis.casBasedBuilder(jedis)
                .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(quota.period()))
                .keyMapper(Mapper.STRING)
                .build();
        this.configuration = Bucket4jLettuceSubject.configuration(quota);
    }

    @Override
    public boolean tryAcquire(String key) {
        return buckets.builder().build(key, () -> configuration).tryConsume(1);
    }

    @Override
    public void close() {
        jedis.close();
    }
}
