package dev.sluice.rules.file;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleOverride;
import dev.sluice.rules.match.Condition;
import dev.sluice.text.DidYouMean;
import dev.sluice.text.WholeNumber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads one rule. */
final class RuleReader {
    private static final Set<String> FIELDS = Set.of(
            "name",
            "when",
            "key",
            "missing-key",
            "limits",
            "on-exceed",
            "on-store-failure",
            "batch",
            "lease",
            "priority",
            "shed-from",
            "overrides",
            "ipv6-prefix");
    private static final Map<String, OnExceed> ON_EXCEED =
            Map.of("reject", OnExceed.REJECT, "degrade", OnExceed.DEGRADE, "shadow", OnExceed.SHADOW);
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";
    private static final String WAIT = "wait up to ";
    private static final String LIMITS = "limits";

    private final YamlFields fields;

    private RuleReader(YamlFields fields) {
        this.fields = fields;
    }

    /** The rule; null if it has no name. With a problem it may be anything. */
    static @Nullable Rule rule(YamlValue value, int ipv6Prefix) {
        YamlFields fields = value.fields("a rule: a mapping with name and limits", FIELDS);
        return fields == null ? null : new RuleReader(fields).rule(ipv6Prefix);
    }

    private @Nullable Rule rule(int ipv6Prefix) {
        String name = name();
        YamlValue limits = fields.required(LIMITS, "a list such as [5 per 1m]");
        List<Limit> read = limits == null ? List.of() : LimitReader.limits(limits);
        List<RuleOverride> overrides = overrides();
        Rule rule = new Rule(
                name == null ? "?" : name,
                when(),
                key(),
                choice(fields, "missing-key", Rule.MissingKey.SKIP, Rule.MissingKey.values()),
                read,
                onExceed(),
                choice(fields, "on-store-failure", OnFailure.LOCAL, OnFailure.values()),
                choice(fields, "batch", Rule.Batch.OFF, Rule.Batch.values()),
                lease(read, overrides),
                priority(),
                shedFrom(),
                overrides,
                ipv6Prefix(fields, ipv6Prefix),
                null);
        return name == null ? null : rule;
    }

    private @Nullable String name() {
        YamlValue value = fields.required("name", "a name such as login-per-ip");
        String name = value == null ? null : value.text("a name");
        if (value != null && name != null && !name.matches(NAME)) {
            value.unexpected("a name of up to 100 letters, digits, '.', '_' and '-'");
            return null;
        }
        return name;
    }

    private List<Condition> when() {
        YamlValue value = fields.get("when");
        YamlFields written = value == null ? null : value.fields("conditions such as { path: /login, method: POST }");
        return written == null ? List.of() : conditions(written, Set.of());
    }

    private static List<Condition> conditions(YamlFields written, Set<String> others) {
        Map<String, Condition> all = new LinkedHashMap<>();
        written.all().forEach((name, value) -> {
            Condition condition = others.contains(name) ? null : ConditionReader.condition(written.name(name), value);
            if (condition == null) {
                return;
            }
            AttributeNames.check(condition.attribute(), written.name(name));
            if (all.putIfAbsent(condition.attribute(), condition) != null) {
                written.name(name).problem("attribute '" + condition.attribute() + "' is there twice");
            }
        });
        return new ArrayList<>(all.values());
    }

    private List<String> key() {
        YamlValue value = fields.get("key");
        Set<String> key = new LinkedHashSet<>();
        for (YamlValue each : value == null ? List.<YamlValue>of() : value.listOrOne()) {
            String attribute = ConditionReader.attribute(each);
            if (attribute == null) {
                continue;
            }
            AttributeNames.check(attribute, each);
            if (!key.add(attribute)) {
                each.problem("attribute '" + attribute + "' is there twice");
            }
        }
        return new ArrayList<>(key);
    }

    /** The field of a mapping that names one of some choices. */
    static <E extends Enum<E>> E choice(YamlFields fields, String field, E otherwise, E[] choices) {
        YamlValue value = fields.get(field);
        List<String> names = new ArrayList<>();
        for (E each : choices) {
            names.add(each.name().toLowerCase(Locale.ROOT));
        }
        String expected = "one of " + String.join(", ", names);
        String text = value == null ? null : value.text(expected);
        if (value == null || text == null) {
            return otherwise;
        }
        if (!names.contains(text)) {
            value.unexpected(expected, names);
            return otherwise;
        }
        return choices[names.indexOf(text)];
    }

    private OnExceed onExceed() {
        YamlValue value = fields.get("on-exceed");
        String expected = "reject, 'wait up to 2s', degrade or shadow";
        String text = value == null ? null : value.text(expected);
        if (value == null || text == null) {
            return OnExceed.REJECT;
        }
        OnExceed named = ON_EXCEED.get(text);
        if (named != null) {
            return named;
        }
        Duration wait = text.startsWith(WAIT)
                ? Durations.parse(text.substring(WAIT.length()).strip())
                : null;
        if (wait == null || wait.isZero() || wait.compareTo(OnExceed.MAX_WAIT) > 0) {
            String bound = text.startsWith("wait") ? ", longer than zero and at most ten minutes" : "";
            value.unexpected(expected + bound, ON_EXCEED.keySet());
            return OnExceed.REJECT;
        }
        return OnExceed.waitUpTo(wait);
    }

    /** Only for limits that hold permits: elsewhere it would do nothing. */
    private @Nullable Duration lease(List<Limit> limits, List<RuleOverride> overrides) {
        YamlValue value = fields.get("lease");
        String expected = "a duration such as 30s, at most one day";
        String text = value == null ? null : value.text(expected);
        if (value == null || text == null) {
            return null;
        }
        Duration lease = Durations.parse(text.strip());
        if (lease == null || lease.isZero() || lease.compareTo(Limiter.MAX_LEASE) > 0) {
            value.unexpected(expected);
            return null;
        }
        boolean holds = Stream.concat(
                        limits.stream(), overrides.stream().flatMap(override -> override.limits().stream()))
                .anyMatch(Limit::holds);
        if (!holds && !limits.isEmpty()) {
            value.problem("a lease is for limits such as '5 at once', and this rule has none");
        }
        return lease;
    }

    private Map<String, Integer> priority() {
        YamlValue value = fields.get("priority");
        YamlFields written =
                value == null ? null : value.fields("shares by class, such as { background: 50%, normal: 80% }");
        Map<String, Integer> shares = new LinkedHashMap<>();
        if (written != null) {
            written.all().forEach((name, share) -> shares.put(name, percent(share, 100)));
        }
        return shares;
    }

    private OptionalInt shedFrom() {
        YamlValue value = fields.get("shed-from");
        return value == null ? OptionalInt.empty() : OptionalInt.of(percent(value, 99));
    }

    private static int percent(YamlValue value, int max) {
        String expected = "a percentage from 1% to " + max + "%";
        String text = value.text(expected);
        Long percent = text != null && text.endsWith("%")
                ? WholeNumber.parse(text.substring(0, text.length() - 1).strip())
                : null;
        if (percent != null && percent >= 1 && percent <= max) {
            return percent.intValue();
        }
        if (text != null) {
            value.unexpected(expected);
        }
        return 1;
    }

    private List<RuleOverride> overrides() {
        YamlValue value = fields.get("overrides");
        String expected = "a list such as [{ ip: 198.51.100.0/24, limits: unlimited }]";
        Map<List<Condition>, RuleOverride> overrides = new LinkedHashMap<>();
        for (YamlValue each : value == null ? List.<YamlValue>of() : value.list(expected)) {
            YamlFields written = each.fields("attributes and limits");
            RuleOverride override = written == null ? null : override(written);
            if (override != null && overrides.putIfAbsent(override.when(), override) != null) {
                each.problem("an override before it is for the same keys, so this one never counts");
            }
        }
        return new ArrayList<>(overrides.values());
    }

    private static @Nullable RuleOverride override(YamlFields written) {
        YamlValue limits = written.get(LIMITS);
        if (limits == null) {
            String hint = written.all().keySet().stream()
                    .filter(name -> !DidYouMean.hint(name, List.of(LIMITS)).isEmpty())
                    .findFirst()
                    .map(name -> "; there is '" + name + "'")
                    .orElse("");
            written.mapping().problem("'limits' is missing; expected the limits, or unlimited" + hint);
        }
        List<Condition> when = conditions(written, Set.of(LIMITS));
        if (when.isEmpty()) {
            written.mapping().problem("expected at least one attribute, such as ip: 198.51.100.0/24");
            return null;
        }
        return new RuleOverride(when, limits == null ? List.of() : LimitReader.limits(limits));
    }

    /** The field {@code ipv6-prefix} of a rule or a file. */
    static int ipv6Prefix(YamlFields fields, int otherwise) {
        YamlValue value = fields.get("ipv6-prefix");
        Long bits = value == null ? null : value.number("a number of bits from 1 to 128", 1, 128);
        return bits == null ? otherwise : bits.intValue();
    }
}
