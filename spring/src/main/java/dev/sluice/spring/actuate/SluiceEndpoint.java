package dev.sluice.spring.actuate;

import dev.sluice.Decision;
import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.match.Condition;
import dev.sluice.spring.RuleRegistry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * {@code GET /actuator/sluice} shows the rules, {@code GET /actuator/sluice/rule/key} the state of a key, and
 * {@code DELETE} resets it. The key is the rest of the path, slashes included.
 */
@Endpoint(id = "sluice")
public final class SluiceEndpoint {
    private final RuleRegistry registry;
    private final String store;

    SluiceEndpoint(RuleRegistry registry, String store) {
        this.registry = registry;
        this.store = store;
    }

    @ReadOperation
    public Map<String, Object> rules() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("store", store);
        all.put(
                "rules",
                registry.engine().rules().rules().stream()
                        .map(SluiceEndpoint::described)
                        .toList());
        return all;
    }

    private static Map<String, Object> described(Rule rule) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", rule.name());
        fields.put("when", rule.when().stream().map(Condition::toString).toList());
        fields.put("key", rule.key());
        fields.put("limits", rule.limits().stream().map(Limit::text).toList());
        OnExceed onExceed = rule.onExceed();
        fields.put(
                "onExceed",
                onExceed.action() == OnExceed.Action.WAIT
                        ? "wait up to " + Durations.text(onExceed.maxWait())
                        : onExceed.action().name().toLowerCase(Locale.ROOT));
        fields.put("onStoreFailure", rule.onStoreFailure().name().toLowerCase(Locale.ROOT));
        return fields;
    }

    /** The state of a key; null, which is 404, if there is no such rule. */
    @ReadOperation
    public @Nullable Map<String, Object> key(@Selector(match = Selector.Match.ALL_REMAINING) String... ruleAndKey) {
        RuleEngine engine = registry.engine();
        RuleDecision ruleDecision =
                engine.inspect(ruleAndKey[0], key(List.of(ruleAndKey))).join();
        if (ruleDecision == null) {
            return null;
        }
        Decision now = ruleDecision.decision();
        Decision next = now.allowed()
                ? ruleDecision.limiter().peekAsync(ruleDecision.key(), 1).join()
                : now;
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("rule", ruleDecision.rule().name());
        state.put("key", ruleDecision.key());
        state.put("allowed", next.allowed());
        state.put("limit", now.limit());
        state.put("remaining", now.remaining());
        state.put("retryAfterMs", millis(next.retryAfterMicros()));
        state.put("resetAfterMs", millis(now.resetAfterMicros()));
        return state;
    }

    /** Resets a key; null, which is 404, if there is no such rule. */
    @DeleteOperation
    public @Nullable Map<String, Object> reset(@Selector(match = Selector.Match.ALL_REMAINING) String... ruleAndKey) {
        String key = key(List.of(ruleAndKey));
        return registry.engine().reset(ruleAndKey[0], key)
                ? Map.of("rule", ruleAndKey[0], "key", key, "reset", true)
                : null;
    }

    private static String key(List<String> ruleAndKey) {
        return String.join("/", ruleAndKey.subList(1, ruleAndKey.size()));
    }

    private static Object millis(long micros) {
        return micros == Decision.NEVER_MICROS ? "never" : (micros + 999) / 1000;
    }
}
