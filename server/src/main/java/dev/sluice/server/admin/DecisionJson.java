package dev.sluice.server.admin;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.rules.Explanation;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes the decisions of rules as JSON, with the members that {@code /v1/check} has. */
final class DecisionJson {
    private static final int MAX_NOT_APPLYING = 100;
    private static final long MILLI = 1000;

    private DecisionJson() {}

    static JsonObject explanation(Explanation explanation) {
        Verdict verdict = explanation.verdict();
        RuleDecision decisive = verdict.decisive();
        JsonArray applying = new JsonArray();
        JsonArray others = new JsonArray();
        for (Explanation.Considered rule : explanation.rules()) {
            if (rule.applies()) {
                applying.add(considered(rule));
            } else if (others.size() < MAX_NOT_APPLYING) {
                others.add(new JsonObject().put("rule", rule.rule().name()).put("reason", rule.reason()));
            }
        }
        return new JsonObject()
                .put("allowed", verdict.allowed())
                .put("degraded", verdict.degraded())
                .put("decisive", decisive == null ? null : decisive.rule().name())
                .put("applying", applying)
                .put("notApplying", others)
                .put("rules", explanation.rules().size());
    }

    private static JsonObject considered(Explanation.Considered rule) {
        JsonObject json = new JsonObject().put("rule", rule.rule().name()).put("reason", rule.reason());
        if (rule.override() > 0) {
            json.put("override", rule.override());
        }
        RuleDecision decision = rule.decision();
        if (decision != null) {
            json.put("onExceed", rule.rule().onExceed().action().name().toLowerCase(Locale.ROOT));
            json.mergeIn(of(decision));
        }
        return rule.remedy().isEmpty() ? json : json.put("remedy", rule.remedy());
    }

    static JsonObject of(RuleDecision decision) {
        JsonObject json = new JsonObject().put("rule", decision.rule().name()).put("key", decision.key());
        if (!decision.limiterName().equals(decision.rule().name())) {
            json.put("counter", decision.limiterName());
        }
        if (decision.share() < 100) {
            json.put("sharePercent", decision.share());
        }
        numbers(json, decision.decision());
        JsonArray limits = new JsonArray();
        List<Decision> each = decision.decision().perLimit();
        List<Limit> named = decision.limiter().limits();
        for (int i = 0; i < each.size(); i++) {
            JsonObject limit = new JsonObject();
            if (named.size() == each.size()) {
                limit.put("text", named.get(i).text());
            }
            limits.add(numbers(limit, each.get(i)));
        }
        return json.put("limits", limits);
    }

    private static JsonObject numbers(JsonObject json, Decision decision) {
        return json.put("outcome", decision.outcome().name().toLowerCase(Locale.ROOT))
                .put("limit", decision.limit())
                .put("remaining", decision.remaining())
                .put("retryAfterMs", millis(decision.retryAfterMicros()))
                .put("resetAfterMs", millis(decision.resetAfterMicros()));
    }

    /** Milliseconds, rounded up; null for never. */
    static @Nullable Long millis(long micros) {
        return micros == Decision.NEVER_MICROS ? null : micros / MILLI + (micros % MILLI == 0 ? 0 : 1);
    }
}
