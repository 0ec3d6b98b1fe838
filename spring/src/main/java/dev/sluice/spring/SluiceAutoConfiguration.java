package dev.sluice.spring;

import dev.sluice.Store;
import dev.sluice.Ticker;
import dev.sluice.redis.RedisStore;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.RuleSet;
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
        Store store(SluiceProperties.Redis redis);
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
        if (!store.equals(RuleSet.MEMORY)) {
            return redis(store, properties.redis());
        }
        return own != null ? own.store(properties.redis()) : Store.local(ticker.getIfAvailable(Ticker::system));
    }

    private static Store redis(String url, SluiceProperties.Redis redis) {
        try {
            return RedisStore.builder()
                    .url(url)
                    .prefix(redis.prefix())
                    .timeout(redis.timeout())
                    .build();
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
