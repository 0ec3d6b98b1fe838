package dev.sluice.spring;

import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.RedisStoreBuilder;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.OptionalLong;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Uses the application's own connection to Redis, if it is one of Lettuce. */
@AutoConfiguration(
        before = SluiceAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnClass({LettuceConnectionFactory.class, RedisClient.class})
public final class SluiceRedisAutoConfiguration {
    @Bean
    @ConditionalOnSingleCandidate(LettuceConnectionFactory.class)
    SluiceAutoConfiguration.ApplicationRedis sluiceApplicationRedis(LettuceConnectionFactory connections) {
        return (redis, maxBytes) -> store(connections.getRequiredNativeClient(), redis, maxBytes);
    }

    private static Store store(AbstractRedisClient client, SluiceProperties.Redis redis, OptionalLong maxBytes) {
        RedisStoreBuilder builder = RedisStore.builder().prefix(redis.prefix()).timeout(redis.timeout());
        maxBytes.ifPresent(builder::maxBytes);
        return client instanceof RedisClusterClient cluster
                ? builder.lettuce(cluster).build()
                : builder.lettuce((RedisClient) client).build();
    }
}
