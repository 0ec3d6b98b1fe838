package dev.sluice.bench.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.util.concurrent.CompletableFuture;

/** Bucket4j as its documentation sets it up, over one Lettuce connection. */
final class Bucket4jLettuceSubject implements Subject {
    private final RedisClient client;
    private final ProxyManager<String> buckets;
    private final BucketConfiguration configuration;

    Bucket4jLettuceSubject(String url, Quota quota) {
        this.client = RedisClient.create(url);
        this.buckets = Bucket4jLettuce.casBasedBuilder(
                        client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
                .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(quota.period()))
                .build();
        this.configuration = configuration(quota);
    }

    static BucketConfiguration configuration(Quota quota) {
        return BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(quota.permits()).refillGreedy(quota.permits(), quota.period()))
                .build();
    }

    @Override
    public boolean tryAcquire(String key) {
        return buckets.builder().build(key, () -> configuration).tryConsume(1);
    }

    @Override
    public void tryAcquire(String key, Reply reply) {
        buckets.asAsync()
                .builder()
                .build(key, () -> CompletableFuture.completedFuture(configuration))
                .tryConsume(1)
                .whenComplete((allowed, failure) -> {
                    if (failure != null) {
                        reply.failed(failure);
                    } else {
                        reply.answered(allowed);
                    }
                });
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
