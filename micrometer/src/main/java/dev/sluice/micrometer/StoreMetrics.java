package dev.sluice.micrometer;

import dev.sluice.Store;
import dev.sluice.StoreUsage;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * The numbers of a store as {@code sluice.store…}: the memory that its counters take in this process and, for a store on
 * Redis, its calls and failures.
 *
 * <pre>{@code
 * new StoreMetrics(store).bindTo(registry);
 * }</pre>
 *
 * <p>The store keeps the numbers, and registries read them. So there is nothing to close, and a registry that is bound
 * late has them all.
 */
public final class StoreMetrics implements MeterBinder {
    private static final boolean HAS_REDIS = hasRedis();

    private final Store store;
    private final Map<MeterRegistry, MultiGauge> masters = new ConcurrentHashMap<>();

    /** The metrics of this store. */
    public StoreMetrics(Store store) {
        this.store = store;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        memory(registry, "keys", "Keys with a counter of their own in this process.", StoreUsage::keys);
        memory(registry, "bytes", "Bytes that counters take in this process.", StoreUsage::bytes);
        memory(registry, "bytes.max", "The bound on the bytes that counters take.", StoreUsage::maxBytes);
        FunctionCounter.builder(
                        "sluice.store.at.bound", store, now -> now.usage().atBound())
                .description("Decisions on keys that shared a counter, because the memory was used up.")
                .register(registry);
        if (HAS_REDIS && RedisStoreMetrics.isRedis(store)) {
            RedisStoreMetrics.bind(store, registry);
            masters.computeIfAbsent(registry, RedisStoreMetrics::masters);
        }
    }

    /**
     * Brings {@code sluice.store.master.up} up to date in every registry. Redis may get other masters at any time, so call
     * it before each reading; without this call there are no such gauges.
     */
    public void refreshMasters() {
        masters.values().forEach(gauge -> gauge.register(RedisStoreMetrics.rows(store), true));
    }

    /** An application need not have the module for Redis. */
    private static boolean hasRedis() {
        try {
            Class.forName("dev.sluice.redis.RedisStore", false, StoreMetrics.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private void memory(MeterRegistry registry, String name, String description, ToDoubleFunction<StoreUsage> value) {
        Gauge.builder("sluice.store." + name, store, now -> value.applyAsDouble(now.usage()))
                .description(description)
                .strongReference(true)
                .register(registry);
    }
}
