package dev.sluice.bench.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.serialization.Mapper;
import io.github.bucket4j.redis.jedis.Bucket4jJedis;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** Bucket4j as its documentation sets it up. */
final class Bucket4jSubject implements Subject {
    private static final int JEDIS_CONNECTIONS = 64;

    private final ProxyManager<String> buckets;
    private final BucketConfiguration configuration;
    private final Runnable close;

    private Bucket4jSubject(ProxyManager<String> buckets, Quota quota, Runnable close) {
        this.buckets = buckets;
        this.configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(quota.permits()).refillGreedy(quota.permits(), quota.period()))
                .build();
        this.close = close;
    }

    /** Over one connection. */
    static Subject onLettuce(String url, Quota quota) {
        var client = io.lettuce.core.RedisClient.create(url);
        ProxyManager<String> buckets = Bucket4jLettuce.casBasedBuilder(
                        client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
                .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(quota.period()))
                .build();
        return new Bucket4jSubject(buckets, quota, client::shutdown);
    }

    /** Over a pool with a connection for every thread. */
    static Subject onJedis(String url, Quota quota) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(JEDIS_CONNECTIONS);
        pool.setMaxIdle(JEDIS_CONNECTIONS);
        URI address = URI.create(url);
        RedisClient jedis = RedisClient.builder()
                .hostAndPort(address.getHost(), address.getPort())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .database(Integer.parseInt(address.getPath().substring(1)))
                        .build())
                .poolConfig(pool)
                .build();
        ProxyManager<String> buckets = Bucket4jJedis.casBasedBuilder(jedis)
                .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(quota.period()))
                .keyMapper(Mapper.STRING)
                .build();
        return new Bucket4jSubject(buckets, quota, jedis::close);
    }

    @Override
    public boolean tryAcquire(String key) {
        return buckets.builder().build(key, () -> configuration).tryConsume(1);
    }

    @Override
    public void tryAcquire(String key, Reply reply) {
        reply.await(
                buckets.asAsync()
                        .builder()
                        .build(key, () -> CompletableFuture.completedFuture(configuration))
                        .tryConsume(1),
                allowed -> allowed);
    }

    @Override
    public void close() {
        close.run();
    }
}
