package dev.sluice.server.trial;

import dev.sluice.simulate.replay.ReplayReport;
import dev.sluice.simulate.replay.ReplayResult;
import dev.sluice.simulate.replay.RuleResult;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Writes the result of a trial as JSON. */
public final class TrialJson {
    private static final long SECOND = 1_000_000;
    private static final int MAX_KEYS = 10;
    private static final int MAX_RULES = 200;

    private TrialJson() {}

    /** What both sets of rules denied, and for each of the other rules whom. */
    public static JsonObject of(RuleTrial.Result result) {
        ReplayReport report = result.report();
        ReplayResult now = report.result();
        ReplayResult then = report.other().orElse(now);
        Map<String, RuleResult> before =
                now.rules().stream().collect(Collectors.toMap(RuleResult::name, Function.identity()));
        JsonArray rules = new JsonArray();
        then.rules().stream().limit(MAX_RULES).forEach(rule -> {
            RuleResult same = before.get(rule.name());
            rules.add(of(rule).put("now", same == null ? null : denied(same)));
        });
        return new JsonObject()
                .put("requests", now.requests())
                .put("from", now.firstMicros() / SECOND)
                .put("to", now.lastMicros() / SECOND)
                .put("now", new JsonObject().put("denied", now.denied()))
                .put("then", new JsonObject().put("denied", then.denied()))
                .put(
                        "changed",
                        new JsonObject()
                                .put("denied", report.change().denied())
                                .put("allowed", report.change().allowed()))
                .put("rules", rules)
                .put("notes", new JsonArray(result.notes()));
    }

    private static JsonObject of(RuleResult rule) {
        JsonArray keys = new JsonArray();
        rule.top().stream()
                .filter(key -> key.stopped() > 0)
                .limit(MAX_KEYS)
                .forEach(key -> keys.add(new JsonObject().put("key", key.key()).put("denied", key.stopped())));
        return new JsonObject()
                .put("name", rule.name())
                .put("denied", denied(rule))
                .put("shadowed", rule.shadowed())
                .put("degraded", rule.degraded())
                .put("waited", rule.waited())
                .put("clients", rule.keysHit())
                .put("topKeys", keys);
    }

    private static long denied(RuleResult rule) {
        return rule.denied() + rule.shed();
    }
}
