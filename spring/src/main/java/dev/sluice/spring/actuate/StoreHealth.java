package dev.sluice.spring.actuate;

import dev.sluice.Store;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisStore;
import java.util.LinkedHashMap;
import java.util.Map;

/** The health of the store. */
public final class StoreHealth {

    private final Store store;

    public StoreHealth(Store store) {
        this.store = store;
    }

    /**
     * {@code UP}, or {@code DEGRADED} while Redis does not answer and limits follow their failure policies, as the calls of
     * the application found it: this makes none. The application is not down then, and Spring leaves a status that it does
     * not know out of the application's own.
     */
    public String status() {
        return store instanceof RedisStore redis && redis.counters().open() ? "DEGRADED" : "UP";
    }

    /** {@code redis} or {@code memory}. */
    public String name() {
        return store instanceof RedisStore ? "redis" : "memory";
    }

    public Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("store", name());
        if (store instanceof RedisStore redis) {
            RedisCounters counters = redis.counters();
            details.put("asked", counters.asked());
            details.put("timeouts", counters.timeouts());
            details.put("failures", counters.failures());
            details.put(
                    "decidedByPolicy",
                    counters.allowedByPolicy() + counters.deniedByPolicy() + counters.decidedLocally());
            details.put("breakers", counters.breakers());
        }
        return details;
    }
}
