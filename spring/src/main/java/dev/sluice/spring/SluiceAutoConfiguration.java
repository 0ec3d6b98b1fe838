package dev.sluice.spring;

import dev.sluice.MemorySize;
import dev.sluice.Store;
import dev.sluice.StoreBuilder;
import dev.sluice.Ticker;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.RedisStoreBuilder;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.RuleSet;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/** The application's rules, their store and their engine. Each bean gives way to one of the application's own. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnProperty(name = "sluice.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SluiceProperties.class)
public final class SluiceAutoConfiguration {
    /** The application's own connection to Redis. */
    interface ApplicationRedis {
        /** A store that uses this connection. */
        Store store(SluiceProperties.Redis redis, OptionalLong maxBytes);
    }

    @Bean
    @ConditionalOnMissingBean
    RuleSet sluiceRules(Environment environment, ResourceLoader resources) {
        return new RuleSetLoader(environment, resources).load();
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Store sluiceStore(
            SluiceProperties properties,
            RuleSet rules,
            ObjectProvider<Ticker> ticker,
            ObjectProvider<ApplicationRedis> application) {
        String store = properties.store() != null ? properties.store() : rules.store();
        ApplicationRedis own = properties.store() == null ? application.getIfAvailable() : null;
        OptionalLong maxBytes = maxBytes(properties.memory() != null ? properties.memory() : rules.memory());
        if (!store.equals(RuleSet.MEMORY)) {
            return redis(store, properties.redis(), maxBytes);
        }
        if (own != null) {
            return own.store(properties.redis(), maxBytes);
        }
        StoreBuilder local = Store.builder().ticker(ticker.getIfAvailable(Ticker::system));
        maxBytes.ifPresent(local::maxBytes);
        return local.build();
    }

    private static OptionalLong maxBytes(@Nullable String memory) {
        try {
            return memory == null ? OptionalLong.empty() : OptionalLong.of(MemorySize.parse(memory));
        } catch (IllegalArgumentException e) {
            throw new RateLimitConfigurationException("sluice.memory: " + e.getMessage());
        }
    }

    private static Store redis(String url, SluiceProperties.Redis redis, OptionalLong maxBytes) {
        try {
            RedisStoreBuilder store =
                    RedisStore.builder().url(url).prefix(redis.prefix()).timeout(redis.timeout());
            maxBytes.ifPresent(store::maxBytes);
            return store.build();
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new RateLimitConfigurationException("sluice.store: expected memory, or the URL of a Redis such as "
                    + "redis://127.0.0.1:6379, was '" + url + "': " + e.getMessage());
        }
    }

    @Bean
    @ConditionalOnMissingBean
    RuleRegistry sluiceRuleRegistry(Store store, RuleSet rules) {
        return new RuleRegistry(store, rules);
    }

    @Bean
    @ConditionalOnMissingBean
    RuleEngine sluiceEngine(RuleRegistry registry) {
        return registry.engine();
    }
}
