package dev.sluice.spring.actuate;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleText;
import dev.sluice.rules.match.Condition;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RejectedRules;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.RuleVersion;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.core.NestedExceptionUtils;

/**
 * {@code GET /actuator/sluice} shows the rules, the store and the last versions; {@code POST} with a {@code version} puts an
 * earlier one in force again. {@code GET /actuator/sluice/rule/key} shows the state of a key, and {@code DELETE} resets it.
 * The key is the rest of the path, slashes included.
 */
@Endpoint(id = "sluice")
public final class SluiceEndpoint {
    private static final String PROBLEM = "problem";
    private static final String RULE = "rule";
    private static final String KEY = "key";
    private static final int CONFLICT = 409;

    private final RuleRegistry registry;
    private final StoreHealth store;

    SluiceEndpoint(RuleRegistry registry, StoreHealth store) {
        this.registry = registry;
        this.store = store;
    }

    @ReadOperation
    public Map<String, Object> rules() {
        List<RuleVersion> versions = registry.versions();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("enabled", registry.isEnabled());
        all.put("store", store.name());
        all.put("status", store.status());
        all.put("version", versions.get(0).number());
        all.put("rules", registry.rules().stream().map(this::described).toList());
        all.put("versions", versions.stream().map(SluiceEndpoint::described).toList());
        RejectedRules rejected = registry.rejected();
        if (rejected != null) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("where", rejected.where());
            fields.put("when", rejected.when().toString());
            fields.put("problems", rejected.problems());
            all.put("rejected", fields);
        }
        return all;
    }

    private Map<String, Object> described(Rule rule) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", rule.name());
        fields.put("from", registry.madeFrom(rule.name()).orElse("configuration"));
        fields.put("when", rule.when().stream().map(Condition::toString).toList());
        fields.put("key", rule.key());
        fields.put("limits", rule.limits().stream().map(Limit::text).toList());
        fields.put("onExceed", RuleText.onExceed(rule.onExceed()));
        fields.put("onStoreFailure", rule.onStoreFailure().name().toLowerCase(Locale.ROOT));
        fields.put("text", RuleText.of(rule));
        return fields;
    }

    private static Map<String, Object> described(RuleVersion version) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", version.number());
        fields.put("origin", version.origin().text());
        fields.put("when", version.when().toString());
        fields.put("rules", version.rules().rules().stream().map(Rule::name).toList());
        return fields;
    }

    /** Puts an earlier version of the rules in force again: 404 if it is not kept, 409 if it does not fit any more. */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> rollBack(long version) {
        try {
            return new WebEndpointResponse<>(described(registry.rollBack(version)));
        } catch (RateLimitConfigurationException e) {
            return new WebEndpointResponse<>(Map.of(PROBLEM, String.valueOf(e.getMessage())), CONFLICT);
        } catch (IllegalArgumentException e) {
            return new WebEndpointResponse<>(
                    Map.of(PROBLEM, String.valueOf(e.getMessage())), WebEndpointResponse.STATUS_NOT_FOUND);
        }
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
        state.put(RULE, ruleDecision.rule().name());
        state.put(KEY, ruleDecision.key());
        state.put("allowed", next.allowed());
        state.put("limit", now.limit());
        state.put("remaining", now.remaining());
        state.put("retryAfterMs", millis(next.retryAfterMicros()));
        state.put("resetAfterMs", millis(now.resetAfterMicros()));
        return state;
    }

    /** Resets a key: 404 if there is no such rule, 503 if the store does not answer. */
    @DeleteOperation
    public WebEndpointResponse<Map<String, Object>> reset(
            @Selector(match = Selector.Match.ALL_REMAINING) String... ruleAndKey) {
        String key = key(List.of(ruleAndKey));
        try {
            boolean known = registry.engine().resetAsync(ruleAndKey[0], key).join();
            return known
                    ? new WebEndpointResponse<>(Map.of(RULE, ruleAndKey[0], KEY, key, "reset", true))
                    : new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
        } catch (CompletionException e) {
            String why =
                    String.valueOf(NestedExceptionUtils.getMostSpecificCause(e).getMessage());
            return new WebEndpointResponse<>(
                    Map.of(RULE, ruleAndKey[0], KEY, key, "reset", false, PROBLEM, why),
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }

    private static String key(List<String> ruleAndKey) {
        return String.join("/", ruleAndKey.subList(1, ruleAndKey.size()));
    }

    private static Object millis(long micros) {
        return micros == Decision.NEVER_MICROS ? "never" : (micros + 999) / 1000;
    }
}
