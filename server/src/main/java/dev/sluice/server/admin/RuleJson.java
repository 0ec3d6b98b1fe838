package dev.sluice.server.admin;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleOverride;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.match.Condition;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Writes rules as JSON with all that they are made of, also what the file leaves to a default. A member has the name of
 * the component of {@link Rule} that it shows.
 */
final class RuleJson {
    private RuleJson() {}

    static JsonObject of(RuleSet rules) {
        return new JsonObject()
                .put("memory", rules.memory())
                .put("trustedProxies", array(rules.trustedProxies().networks(), Object::toString))
                .put("geo", rules.geo() == null ? null : rules.geo().toString())
                .put("pathCase", word(rules.paths().letterCase()))
                .put("pathTrailingSlash", word(rules.paths().trailingSlash()))
                .put("rules", array(rules.rules(), RuleJson::of));
    }

    static JsonObject of(Rule rule) {
        return new JsonObject()
                .put("name", rule.name())
                .put("when", array(rule.when(), RuleJson::of))
                .put("key", array(rule.key(), name -> name))
                .put("missingKey", word(rule.missingKey()))
                .put("limits", array(rule.limits(), RuleJson::of))
                .put("onExceed", word(rule.onExceed().action()))
                .put(
                        "maxWait",
                        rule.onExceed().maxWait().isZero()
                                ? null
                                : Durations.text(rule.onExceed().maxWait()))
                .put("onStoreFailure", word(rule.onStoreFailure()))
                .put("batch", word(rule.batch()))
                .put("lease", rule.lease() == null ? null : Durations.text(rule.lease()))
                .put("priority", percentages(rule.priority()))
                .put(
                        "shedFrom",
                        rule.shedFrom().isEmpty() ? null : rule.shedFrom().getAsInt())
                .put("overrides", array(rule.overrides(), RuleJson::of))
                .put("ipv6Prefix", rule.ipv6Prefix());
    }

    private static JsonObject of(RuleOverride override) {
        return new JsonObject()
                .put("when", array(override.when(), RuleJson::of))
                .put("limits", array(override.limits(), RuleJson::of));
    }

    private static JsonObject of(Condition condition) {
        return new JsonObject()
                .put("attribute", condition.attribute())
                .put("any", array(condition.any(), Object::toString))
                .put("none", array(condition.none(), Object::toString));
    }

    static JsonObject of(Limit limit) {
        Duration period = limit.period();
        return new JsonObject()
                .put("text", limit.text())
                .put("algorithm", limit.algorithm())
                .put("permits", limit.permits())
                .put("period", period == null ? null : Durations.text(period))
                .put("capacity", limit.capacity())
                .mergeIn(limit.accept(OwnMembers.INSTANCE));
    }

    /** What only one algorithm has. */
    private enum OwnMembers implements Limit.Cases<JsonObject> {
        INSTANCE;

        @Override
        public JsonObject fixedWindow(Limit.FixedWindow limit) {
            String start = "first-request";
            if (limit.alignment() instanceof Limit.Alignment.Calendar calendar) {
                start = calendar.zone().toString();
            } else if (limit.alignment() instanceof Limit.Alignment.Epoch) {
                start = "epoch";
            }
            return new JsonObject().put("aligned", start);
        }

        @Override
        public JsonObject slidingWindow(Limit.SlidingWindow limit) {
            return new JsonObject().put("slices", limit.slices()).put("counting", word(limit.counting()));
        }

        @Override
        public JsonObject slidingLog(Limit.SlidingLog limit) {
            return new JsonObject();
        }

        @Override
        public JsonObject tokenBucket(Limit.TokenBucket limit) {
            return new JsonObject().put("burst", limit.burst());
        }

        @Override
        public JsonObject leakyBucket(Limit.LeakyBucket limit) {
            return new JsonObject().put("flow", word(limit.flow()));
        }

        @Override
        public JsonObject concurrency(Limit.Concurrency limit) {
            return new JsonObject();
        }
    }

    private static JsonObject percentages(Map<String, Integer> shares) {
        JsonObject json = new JsonObject();
        new TreeMap<>(shares).forEach(json::put);
        return json;
    }

    private static <T> JsonArray array(List<T> values, Function<T, Object> json) {
        JsonArray array = new JsonArray();
        values.forEach(value -> array.add(json.apply(value)));
        return array;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
