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

/** How rulings look in JSON: the same members as an answer to {@code /v1/check}. */
final class Views {
    private static final int MOST_NOT_APPLYING = 100;
    private static final long MILLI = 1000;

    private Views() {}

    static JsonObject explanation(Explanation explanation) {
        Verdict verdict = explanation.verdict();
        RuleDecision decisive = verdict.decisive();
        JsonArray applying = new JsonArray();
        JsonArray others = new JsonArray();
        for (Explanation.Considered rule : explanation.rules()) {
            if (rule.applies()) {
                applying.add(considered(rule));
            } else if (others.size() < MOST_NOT_APPLYING) {
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
        RuleDecision ruling = rule.decision();
        if (ruling != null) {
            json.put("onExceed", rule.rule().onExceed().action().name().toLowerCase(Locale.ROOT));
            json.mergeIn(ruling(ruling));
        }
        return rule.remedy().isEmpty() ? json : json.put("remedy", rule.remedy());
    }

    static JsonObject ruling(RuleDecision ruling) {
        JsonObject json = new JsonObject().put("rule", ruling.rule().name()).put("key", ruling.key());
        if (!ruling.limiterName().equals(ruling.rule().name())) {
            json.put("counter", ruling.limiterName());
        }
        if (ruling.share() < 100) {
            json.put("sharePercent", ruling.share());
        }
        numbers(json, ruling.decision());
        JsonArray limits = new JsonArray();
        List<Decision> each = ruling.decision().perLimit();
        List<Limit> named = ruling.limiter().limits();
        for (int i = 0; i < each.size(); i++) {
            JsonObject limit = new JsonObject();
            if (named.size() == each.size()) {
                limit.put("text", LimitTexts.of(named.get(i)));
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

    /** Whole milliseconds, never too early; null for never. */
    static @Nullable Long millis(long micros) {
        return micros == Decision.NEVER_MICROS ? null : micros / MILLI + (micros % MILLI == 0 ? 0 : 1);
    }
}
