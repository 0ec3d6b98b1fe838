package dev.sluice.spring;

import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.RedisStoreBuilder;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
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
    private static final Logger LOG = LoggerFactory.getLogger(SluiceRedisAutoConfiguration.class);

    @Bean
    @ConditionalOnBean(LettuceConnectionFactory.class)
    SluiceAutoConfiguration.ApplicationRedis sluiceApplicationRedis(
            ObjectProvider<LettuceConnectionFactory> connections) {
        return (redis, maxBytes) -> {
            LettuceConnectionFactory only = connections.getIfUnique();
            if (only == null) {
                LOG.warn(
                        "limits are counted in this process: the application has several connections to Redis, and none"
                                + " of them is @Primary; mark one, or set sluice.store to the URL of a Redis, or to memory");
                return Optional.empty();
            }
            return Optional.of(store(only.getRequiredNativeClient(), redis, maxBytes));
        };
    }

    private static Store store(AbstractRedisClient client, SluiceProperties.Redis redis, OptionalLong maxBytes) {
        RedisStoreBuilder builder = RedisStore.builder().prefix(redis.prefix()).timeout(redis.timeout());
        maxBytes.ifPresent(builder::maxBytes);
        return client instanceof RedisClusterClient cluster
                ? builder.lettuce(cluster).build()
                : builder.lettuce((RedisClient) client).build();
    }
}
