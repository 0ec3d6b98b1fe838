package dev.sluice.spring.actuate;

import dev.sluice.Store;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisStore;
import java.util.LinkedHashMap;
import java.util.Map;

/** How the store is, for an operator to see. */
final class StoreHealth {
    /**
     * Limits go on by their policies while Redis is away, so the application is not down. Spring's aggregate ignores a
     * status that it does not know.
     */
    static final String DEGRADED = "DEGRADED";

    private final Store store;

    StoreHealth(Store store) {
        this.store = store;
    }

    /** Whether the store answers. */
    boolean isUp() {
        return !(store instanceof RedisStore redis) || !redis.counters().open();
    }

    static String name(Store store) {
        return store instanceof RedisStore ? "redis" : "memory";
    }

    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("store", name(store));
        if (store instanceof RedisStore redis) {
            RedisCounters counters = redis.counters();
            details.put("asked", counters.asked());
            details.put("timeouts", counters.timeouts());
            details.put("failures", counters.failures());
            details.put("decidedByPolicy", byPolicy(counters));
        }
        return details;
    }

    static long byPolicy(RedisCounters counters) {
        return counters.allowedByPolicy() + counters.deniedByPolicy() + counters.decidedLocally();
    }
}
