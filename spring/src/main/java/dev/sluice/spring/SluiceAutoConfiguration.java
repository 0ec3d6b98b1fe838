package dev.sluice.spring;

import dev.sluice.MemorySize;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.StoreBuilder;
import dev.sluice.Ticker;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.RedisStoreBuilder;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.UnderWay;
import dev.sluice.rules.engine.RuleEngine;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/**
 * The application's rules, their store and their engine. Each bean gives way to one of the application's own. With
 * {@code sluice.enabled: false} they are there, too, so that what uses them can be made, and nothing is limited.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@EnableConfigurationProperties(SluiceProperties.class)
@ImportRuntimeHints(SluiceRuntimeHints.class)
public final class SluiceAutoConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(SluiceAutoConfiguration.class);

    /** The application's own connections to Redis. */
    interface ApplicationRedis {
        /** A store that uses the connection; none if it is not clear which one. */
        Optional<Store> store(SluiceProperties.Redis redis, OptionalLong maxBytes);
    }

    /** The rules that the application starts with, and what they were read from. */
    record InitialRules(RuleSetLoader.Source source, RuleSet rules) {}

    @Bean
    static PropertyNameCheck sluicePropertyNameCheck(Environment environment) {
        return new PropertyNameCheck(environment);
    }

    @Bean
    RuleSetLoader sluiceRuleSetLoader(Environment environment, ResourceLoader resources) {
        return new RuleSetLoader(environment, resources);
    }

    @Bean
    @ConditionalOnMissingBean(RuleSet.class)
    InitialRules sluiceInitialRules(RuleSetLoader loader, SluiceProperties properties) {
        try {
            RuleSetLoader.Source source = loader.source();
            return new InitialRules(source, loader.parse(source));
        } catch (RateLimitConfigurationException e) {
            if (properties.enabled()) {
                throw e;
            }
            LOG.warn("the rules are wrong, and left out since sluice.enabled is false: {}", e.getMessage());
            return new InitialRules(new RuleSetLoader.Source(RuleSetLoader.PROPERTIES, null, ""), RuleSet.of());
        }
    }

    @Bean
    @ConditionalOnMissingBean
    RuleSet sluiceRules(InitialRules initial) {
        return initial.rules();
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Store sluiceStore(
            SluiceProperties properties,
            RuleSet rules,
            ObjectProvider<Ticker> ticker,
            ObjectProvider<Scheduler> scheduler,
            ObjectProvider<ApplicationRedis> application) {
        OptionalLong maxBytes = maxBytes(properties.memory() != null ? properties.memory() : rules.memory());
        if (properties.enabled()) {
            Optional<Store> redis = redis(properties, rules.store(), application, maxBytes);
            if (redis.isPresent()) {
                return redis.get();
            }
        }
        StoreBuilder local = Store.builder()
                .ticker(ticker.getIfAvailable(Ticker::system))
                .scheduler(scheduler.getIfAvailable(Scheduler::system));
        maxBytes.ifPresent(local::maxBytes);
        return local.build();
    }

    /** The Redis to count in: that of the property, else that of the rule file, else the application's own. */
    private static Optional<Store> redis(
            SluiceProperties properties,
            String ofRuleFile,
            ObjectProvider<ApplicationRedis> application,
            OptionalLong maxBytes) {
        String given = properties.store();
        String store = given != null ? given : ofRuleFile;
        if (!ofRuleFile.equals(RuleSet.MEMORY) && !store.equals(ofRuleFile)) {
            // without the URLs, which may have passwords
            LOG.warn("sluice.store and the rule file name different stores: that of sluice.store is used");
        }
        if (!store.equals(RuleSet.MEMORY)) {
            return Optional.of(redis(store, properties.redis(), maxBytes));
        }
        ApplicationRedis own = given == null ? application.getIfAvailable() : null;
        return own == null ? Optional.empty() : own.store(properties.redis(), maxBytes);
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
    RuleRegistry sluiceRuleRegistry(
            Store store,
            RuleSet rules,
            SluiceProperties properties,
            ObjectProvider<RuleAttribute<?>> attributes,
            Environment environment,
            ObjectProvider<Ticker> tickers,
            ObjectProvider<Scheduler> schedulers) {
        Ticker ticker = tickers.getIfAvailable(Ticker::system);
        Scheduler scheduler = schedulers.getIfAvailable(Scheduler::system);
        InstantSource clock = ticker instanceof InstantSource source ? source : InstantSource.system();
        WebSettings settings = new WebSettings(
                underWay(properties.filter()),
                ForwardedHeaders.areReadByServer(environment),
                attributes.orderedStream().toList());
        return new RuleRegistry(
                properties.enabled(), rules, settings, first -> new RuleEngine(store, first, clock, scheduler, ticker));
    }

    private static UnderWay underWay(SluiceProperties.Filter filter) {
        try {
            return new UnderWay(filter.underWay(), filter.underWayWait());
        } catch (IllegalArgumentException e) {
            throw new RateLimitConfigurationException(
                    "sluice.filter.under-way, sluice.filter.under-way-wait: " + e.getMessage());
        }
    }

    @Bean
    @ConditionalOnMissingBean
    RuleEngine sluiceEngine(RuleRegistry registry) {
        return registry.engine();
    }

    /** Only for rules that were read here, and not for a {@code RuleSet} of the application's own. */
    @Bean
    @ConditionalOnProperty(
            name = {"sluice.enabled", "sluice.reload.enabled"},
            matchIfMissing = true)
    @ConditionalOnBean(InitialRules.class)
    RuleReloader sluiceRuleReloader(
            RuleSetLoader loader, RuleRegistry registry, InitialRules initial, SluiceProperties properties) {
        return new RuleReloader(
                loader, registry, initial.source(), properties.reload().interval());
    }

    @Bean
    StartupSummary sluiceStartupSummary(
            RuleRegistry registry, Store store, SluiceProperties properties, Environment environment) {
        return new StartupSummary(registry, store, properties, environment);
    }
}
