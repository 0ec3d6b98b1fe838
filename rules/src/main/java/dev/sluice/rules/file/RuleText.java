package dev.sluice.rules.file;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleOverride;
import dev.sluice.rules.match.Condition;
import dev.sluice.rules.match.Pattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** Writes rules as a rule file has them: what {@link RuleFile#parse} reads as equal rules. Defaults are left out. */
public final class RuleText {
    private static final int WIDTH = 120;

    private RuleText() {}

    /** One rule, as a mapping. */
    public static String of(Rule rule) {
        return yaml(fields(rule));
    }

    /** A whole file with these rules. */
    public static String of(List<Rule> rules) {
        return yaml(Map.of("rules", rules.stream().map(RuleText::fields).toList()));
    }

    private static String yaml(Map<String, Object> fields) {
        DumpSettings settings = DumpSettings.builder()
                .setDefaultFlowStyle(FlowStyle.AUTO)
                .setWidth(WIDTH)
                .build();
        return new Dump(settings).dumpToString(fields);
    }

    private static Map<String, Object> fields(Rule rule) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", rule.name());
        if (!rule.when().isEmpty()) {
            fields.put("when", conditions(rule.when()));
        }
        if (!rule.key().isEmpty()) {
            fields.put("key", rule.key());
        }
        if (rule.missingKey() != Rule.MissingKey.SKIP) {
            fields.put("missing-key", word(rule.missingKey()));
        }
        fields.put("limits", limits(rule.limits()));
        if (!rule.onExceed().equals(OnExceed.REJECT)) {
            fields.put("on-exceed", onExceed(rule.onExceed()));
        }
        if (rule.onStoreFailure() != OnFailure.LOCAL) {
            fields.put("on-store-failure", word(rule.onStoreFailure()));
        }
        if (rule.batch() != Rule.Batch.OFF) {
            fields.put("batch", word(rule.batch()));
        }
        if (rule.lease() != null) {
            fields.put("lease", Durations.text(rule.lease()));
        }
        if (!rule.priority().isEmpty()) {
            Map<String, Object> shares = new TreeMap<>();
            rule.priority().forEach((name, percent) -> shares.put(name, percent + "%"));
            fields.put("priority", shares);
        }
        rule.shedFrom().ifPresent(percent -> fields.put("shed-from", percent + "%"));
        if (!rule.overrides().isEmpty()) {
            fields.put(
                    "overrides",
                    rule.overrides().stream().map(RuleText::override).toList());
        }
        if (rule.ipv6Prefix() != Rule.IPV6_PREFIX) {
            fields.put("ipv6-prefix", rule.ipv6Prefix());
        }
        return fields;
    }

    /** {@code reject}, {@code wait up to 2s}, {@code degrade} or {@code shadow}. */
    public static String onExceed(OnExceed onExceed) {
        return onExceed.action() == OnExceed.Action.WAIT
                ? "wait up to " + Durations.text(onExceed.maxWait())
                : word(onExceed.action());
    }

    private static Map<String, Object> override(RuleOverride override) {
        Map<String, Object> fields = conditions(override.when());
        fields.put("limits", limits(override.limits()));
        return fields;
    }

    private static Object limits(List<Limit> limits) {
        return limits.isEmpty() ? "unlimited" : limits.stream().map(Limit::text).toList();
    }

    private static Map<String, Object> conditions(List<Condition> when) {
        Map<String, Object> fields = new LinkedHashMap<>();
        when.forEach(condition -> fields.put(condition.attribute(), value(condition)));
        return fields;
    }

    private static Object value(Condition condition) {
        List<Object> values = new ArrayList<>(texts(condition.any()));
        if (!condition.none().isEmpty()) {
            values.add(Map.of("not", oneOrAll(texts(condition.none()))));
        }
        return oneOrAll(values);
    }

    private static Object oneOrAll(List<Object> values) {
        return values.size() == 1 ? values.get(0) : values;
    }

    private static List<Object> texts(List<Pattern> patterns) {
        return patterns.stream().<Object>map(RuleText::text).toList();
    }

    /** A value that has the characters of a glob is written so that it is read as a value. */
    private static String text(Pattern pattern) {
        return pattern instanceof Pattern.Exact exact
                ? exact.value().replaceAll("[\\\\*?]", "\\\\$0")
                : pattern.toString();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
