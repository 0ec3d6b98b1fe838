package dev.sluice.server.admin;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.StoreUsage;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisStore;
import dev.sluice.rules.Rule;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.history.Column;
import dev.sluice.server.history.FleetServer;
import dev.sluice.server.history.History;
import dev.sluice.server.history.HistoryRecorder;
import dev.sluice.server.history.KeyWatch;
import dev.sluice.server.history.Row;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /v1/live}: what the rules in force are doing now, on all servers that share a Redis. */
final class LiveHandler {
    private static final int MEAN_SECONDS = 10;
    private static final double HOT_SECONDS = 10;
    /** More of them are not counted by name either. */
    private static final int MAX_ENVOY_LIMITS = 1000;

    private final RuleEngine engine;
    private final Store store;
    private final HistoryRecorder recorder;
    private final @Nullable EnvoyFolder envoy;

    /** With the limits for Envoy, if they are in files. */
    LiveHandler(RuleEngine engine, Store store, HistoryRecorder recorder, @Nullable EnvoyFolder envoy) {
        this.envoy = envoy;
        this.engine = engine;
        this.store = store;
        this.recorder = recorder;
    }

    /** What an answer is made of that may be replaced at any time: the rules, and the limits for Envoy. */
    Object madeOf() {
        return envoy == null ? engine.rules() : List.of(engine.rules(), envoy.config());
    }

    JsonObject json() {
        List<KeyWatch.Key> hot = recorder.hotKeys();
        return new JsonObject()
                .put("now", recorder.now())
                .put("servers", servers())
                .put("rules", rules(hot))
                .put("hotKeys", hotKeys(hot))
                .put("limitedKeys", limitedKeys())
                .put("store", store())
                .put("sources", sources())
                .put("failurePolicy", failurePolicy());
    }

    private JsonArray servers() {
        JsonArray servers = new JsonArray();
        List<FleetServer> all = recorder.servers();
        for (int i = 0; i < all.size(); i++) {
            FleetServer server = all.get(i);
            servers.add(new JsonObject()
                    .put("id", server.id())
                    .put("self", i == 0)
                    .put("since", server.since())
                    .put("lastSeen", server.seen())
                    .put("up", recorder.isHere(server)));
        }
        return servers;
    }

    private JsonArray rules(List<KeyWatch.Key> hot) {
        Map<String, Integer> hotByRule = new HashMap<>();
        hot.forEach(key -> hotByRule.merge(key.rule(), 1, Integer::sum));
        Map<String, long[]> counts = recorder.history().rules(MEAN_SECONDS);
        JsonArray rules = new JsonArray();
        for (Rule rule : engine.rules().rules()) {
            JsonArray limits = new JsonArray();
            rule.limits().stream().map(Limit::text).forEach(limits::add);
            rules.add(new JsonObject()
                    .put("name", rule.name())
                    .put("limits", limits)
                    .put("onExceed", rule.onExceed().action().name().toLowerCase(Locale.ROOT))
                    .put("perSecond", perSecond(counts.getOrDefault(rule.name(), new long[0])))
                    .put("hotKeys", hotByRule.getOrDefault(rule.name(), 0)));
        }
        if (envoy != null) {
            envoy.config().described().stream()
                    .limit(MAX_ENVOY_LIMITS)
                    .forEach(limit -> rules.add(new JsonObject()
                            .put("name", limit.name())
                            .put("envoy", true)
                            .put("limits", new JsonArray(limit.limit().stream().toList()))
                            .put("onExceed", limit.isShadow() ? "shadow" : "reject")
                            .put("perSecond", perSecond(counts.getOrDefault(limit.name(), new long[0])))
                            .put("hotKeys", hotByRule.getOrDefault(limit.name(), 0))));
        }
        return rules;
    }

    private JsonObject perSecond(long[] counts) {
        JsonObject json = new JsonObject();
        for (Column column : FiguresHandler.OF_A_RULE) {
            json.put(column.text(), mean(History.at(counts, column.index())));
        }
        return json;
    }

    private double mean(long count) {
        return FiguresHandler.rounded(count / (double) recorder.history().covered(MEAN_SECONDS));
    }

    private static JsonArray hotKeys(List<KeyWatch.Key> keys) {
        JsonArray array = new JsonArray();
        for (KeyWatch.Key key : keys) {
            array.add(key(key).put("perSecond", FiguresHandler.rounded(key.atLeast() / HOT_SECONDS)));
        }
        return array;
    }

    private JsonArray limitedKeys() {
        JsonArray array = new JsonArray();
        for (KeyWatch.Key key : recorder.deniedKeys()) {
            array.add(key(key).put("denials", key.atLeast()));
        }
        return array;
    }

    private static JsonObject key(KeyWatch.Key key) {
        return new JsonObject()
                .put("rule", key.rule())
                .put("key", key.key())
                .put("shortened", key.isShortened())
                .put("atLeast", key.atLeast())
                .put("atMost", key.atMost());
    }

    private JsonObject store() {
        StoreUsage usage = store.usage();
        RedisCounters redis = store instanceof RedisStore shared ? shared.counters() : null;
        return new JsonObject()
                .put("kind", redis == null ? "memory" : "redis")
                .put("up", redis == null || !redis.open())
                .put("sharing", recorder.isSharingReachable())
                .put("keys", usage.keys())
                .put("bytes", usage.bytes())
                .put("maxBytes", usage.maxBytes())
                .put("underWay", redis == null ? 0 : redis.inFlight())
                .put("nodes", nodes(redis));
    }

    private static JsonArray nodes(@Nullable RedisCounters redis) {
        JsonArray nodes = new JsonArray();
        if (redis != null) {
            redis.breakers()
                    .forEach((address, breaker) -> nodes.add(new JsonObject()
                            .put("address", address)
                            .put(
                                    "breaker",
                                    breaker.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .put("underWay", redis.breakers().size() == 1 ? redis.inFlight() : null)));
        }
        return nodes;
    }

    private JsonObject sources() {
        long[] counts = recorder.history().sum(Row.SOURCES, MEAN_SECONDS);
        JsonObject json = new JsonObject();
        for (Decision.Source source : Row.SOURCE_COLUMNS) {
            json.put(
                    source.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                    mean(History.at(counts, Row.SOURCE_COLUMNS.indexOf(source))));
        }
        return json;
    }

    /** The policy that decided most, of late. */
    private JsonObject failurePolicy() {
        long[] counts = recorder.history().sum(Row.POLICY, MEAN_SECONDS);
        OnFailure most = null;
        long max = 0;
        for (OnFailure policy : Row.POLICY_COLUMNS) {
            long count = History.at(counts, Row.POLICY_COLUMNS.indexOf(policy));
            if (count > max) {
                most = policy;
                max = count;
            }
        }
        return new JsonObject()
                .put("working", most != null)
                .put("policy", most == null ? null : most.name().toLowerCase(Locale.ROOT));
    }
}
