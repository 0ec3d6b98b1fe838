package dev.sluice.server.admin;

import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.envoy.file.EnvoyConfig;
import dev.sluice.server.metrics.VerdictCounters;
import dev.sluice.server.ruleset.RejectedRules;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.atomic.LongAdder;

/** Reports changes of the limits for Envoy to the event stream and the counters. The folder itself writes the log. */
final class EnvoyReporter implements EnvoyFolder.Listener {
    private final EnvoyFolder folder;
    private final VerdictCounters counters;
    private final EventStream events;
    final LongAdder changes = new LongAdder();
    final LongAdder rejections = new LongAdder();

    EnvoyReporter(EnvoyFolder folder, VerdictCounters counters, EventStream events) {
        this.folder = folder;
        this.counters = counters;
        this.events = events;
        count(folder.config());
    }

    @Override
    public void changed(EnvoyConfig config) {
        count(config);
        changes.increment();
        events.publish(
                "envoy-config",
                new JsonObject()
                        .put("folder", folder.directory().toString())
                        .put("limits", config.limits().size()));
    }

    @Override
    public void rejected(RejectedRules rejected) {
        rejections.increment();
        events.publish("envoy-config-rejected", rejected.json());
    }

    private void count(EnvoyConfig config) {
        counters.limits(config.limits());
    }

    /** How many limits are in force. */
    int limits() {
        return folder.config().limits().size();
    }

    boolean isBad() {
        return folder.rejected() != null;
    }

    /** The folder and the limits of it that are in force. */
    JsonObject json() {
        RejectedRules rejected = folder.rejected();
        JsonArray domains = new JsonArray();
        folder.config().domains().stream().sorted().forEach(domains::add);
        return new JsonObject()
                .put("folder", folder.directory().toString())
                .put("domains", domains)
                .put("limits", limits())
                .put("changes", changes.sum())
                .put("lastError", rejected == null ? null : rejected.json());
    }
}
