package dev.sluice.server.admin;

import dev.sluice.Store;
import dev.sluice.StoreUsage;
import dev.sluice.redis.RedisStore;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.ruleset.ActiveRules;
import dev.sluice.server.ruleset.RejectedRules;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /v1/status}: whether what was deployed is in force, and whether the store answers. */
final class StatusHandler {
    private final ActiveRules rules;
    private final @Nullable EnvoyReporter envoy;
    private final List<Watcher> watchers;
    private final Store store;

    StatusHandler(ActiveRules rules, @Nullable EnvoyReporter envoy, List<Watcher> watchers, Store store) {
        this.rules = rules;
        this.envoy = envoy;
        this.watchers = watchers;
        this.store = store;
    }

    void handle(AdminRequest request) {
        request.json(
                200,
                new JsonObject()
                        .put("rules", rules())
                        .put("envoyConfig", envoy == null ? null : envoy.json())
                        .put("watchers", watchers())
                        .put("store", store()));
    }

    private JsonObject rules() {
        RejectedRules rejected = rules.rejected();
        return rules.version()
                .summary()
                .put("lastError", rejected == null ? null : rejected.json())
                .put("sharingReachable", rules.isSharingReachable());
    }

    private JsonArray watchers() {
        JsonArray array = new JsonArray();
        watchers.forEach(watcher -> array.add(new JsonObject()
                .put("name", watcher.name())
                .put("failures", watcher.failures())
                .put("failing", watcher.failure())));
        return array;
    }

    private JsonObject store() {
        StoreUsage usage = store.usage();
        return new JsonObject()
                .put(
                        "up",
                        !(store instanceof RedisStore redis)
                                || !redis.counters().open())
                .put("keys", usage.keys())
                .put("bytes", usage.bytes())
                .put("maxBytes", usage.maxBytes());
    }
}
