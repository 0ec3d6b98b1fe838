package dev.sluice.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StoreMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void theMemoryOfAStoreInThisProcess() {
        try (Store store = Store.local()) {
            new StoreMetrics(store).bindTo(registry);
            store.limiter("a", Limit.fixedWindow(5, Duration.ofHours(1))).tryAcquire("key");
            assertThat(registry.get("sluice.store.keys").gauge().value()).isEqualTo(1);
            assertThat(registry.get("sluice.store.bytes").gauge().value()).isPositive();
            assertThat(registry.get("sluice.store.bytes.max").gauge().value()).isPositive();
            assertThat(registry.get("sluice.store.at.bound").functionCounter().count())
                    .isZero();
            assertThat(registry.getMeters().stream().map(Meter::getId).map(Meter.Id::getName))
                    .as("nothing of Redis")
                    .hasSize(4);
        }
    }

    /** The gauges follow a master that goes and comes back. */
    @Test
    void theCallsAndMastersOfAStoreOnRedis() {
        try (RedisServer redis = RedisServer.start();
                Store store = RedisStore.connect(redis.url())) {
            StoreMetrics metrics = new StoreMetrics(store);
            metrics.bindTo(registry);
            Limiter limiter = store.limiter("a", Limit.fixedWindow(1000, Duration.ofHours(1)));
            Eventually.holds("it answers", Duration.ofSeconds(20), () -> {
                limiter.tryAcquire("key");
                return masterUp(metrics) == 1;
            });
            assertThat(registry.get("sluice.store.asked").functionCounter().count())
                    .isPositive();
            assertThat(registry.get("sluice.store.up").gauge().value()).isEqualTo(1);
            redis.kill();
            Eventually.holds("it is missed", Duration.ofSeconds(20), () -> {
                limiter.tryAcquire("key");
                return masterUp(metrics) == 0
                        && registry.get("sluice.store.up").gauge().value() == 0;
            });
        }
    }

    private double masterUp(StoreMetrics metrics) {
        metrics.refreshMasters();
        return registry.get("sluice.store.master.up").gauge().value();
    }
}
