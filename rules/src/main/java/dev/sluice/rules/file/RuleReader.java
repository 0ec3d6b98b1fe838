package dev.sluice.rules.file;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Quoted;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleOverride;
import dev.sluice.rules.match.Condition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads one rule. */
final class RuleReader {
    private static final Set<String> FIELDS = new LinkedHashSet<>(List.of(
            "name",
            "when",
            "key",
            "missing-key",
            "limits",
            "on-exceed",
            "on-store-failure",
            "priority",
            "shed-from",
            "overrides",
            "ipv6-prefix"));
    private static final Map<String, OnExceed> EXCEEDS =
            Map.of("reject", OnExceed.REJECT, "degrade", OnExceed.DEGRADE, "shadow", OnExceed.SHADOW);
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";
    private static final String WAIT = "wait up to ";
    private static final String LIMITS = "limits";

    private final FileProblems problems;
    private final LimitReader limits;
    private final ConditionReader conditions;
    private final int ipv6Prefix;

    RuleReader(FileProblems problems, int ipv6Prefix) {
        this.problems = problems;
        this.limits = new LimitReader(problems);
        this.conditions = new ConditionReader(problems);
        this.ipv6Prefix = ipv6Prefix;
    }

    /** The rule, or null if it has no name; with a problem it may be anything. */
    @Nullable
    Rule rule(Node node, String path) {
        Fields fields = Fields.known(node, path, "a rule: a mapping with name and limits", FIELDS, problems);
        if (fields == null) {
            return null;
        }
        String name = name(fields);
        Node written = fields.required(LIMITS, "a list such as [5 per 1m]", problems);
        List<Limit> allowed = written == null ? List.of() : limits.limits(written, fields.path(LIMITS));
        Rule rule = new Rule(
                name == null ? "?" : name,
                when(fields),
                key(fields),
                missingKey(fields),
                allowed,
                onExceed(fields),
                onStoreFailure(fields),
                priority(fields),
                shedFrom(fields),
                overrides(fields),
                prefix(fields, ipv6Prefix, problems));
        return name == null ? null : rule;
    }

    private @Nullable String name(Fields fields) {
        Node node = fields.required("name", "a name such as login-per-ip", problems);
        String name = node == null ? null : Fields.text(node, fields.path("name"), "a name", problems);
        if (node != null && name != null && !name.matches(NAME)) {
            problems.add(
                    node,
                    fields.path("name"),
                    "expected a name of up to 100 letters, digits, '.', '_' and '-', was " + Quoted.quoted(name));
            return null;
        }
        return name;
    }

    private List<Condition> when(Fields fields) {
        Node node = fields.get("when");
        String expected = "conditions such as { path: /login, method: POST }";
        Fields written = node == null ? null : Fields.any(node, fields.path("when"), expected, problems);
        return written == null ? List.of() : conditions(written, Set.of());
    }

    private List<Condition> conditions(Fields written, Set<String> others) {
        Map<String, Condition> all = new LinkedHashMap<>();
        written.all().forEach((name, field) -> {
            Condition condition = others.contains(name) ? null : conditions.condition(name, field, written.path(name));
            if (condition != null && all.putIfAbsent(condition.attribute(), condition) != null) {
                problems.add(
                        field.name(), written.path(name), "attribute '" + condition.attribute() + "' is there twice");
            }
        });
        return new ArrayList<>(all.values());
    }

    private List<String> key(Fields fields) {
        Node node = fields.get("key");
        Set<String> key = new LinkedHashSet<>();
        for (Node each : node == null ? List.<Node>of() : Fields.listOrOne(node)) {
            String path = fields.path("key");
            String text = Fields.text(each, path, "attributes such as [ip]", problems);
            String attribute = text == null ? null : conditions.attribute(text, each, path);
            if (attribute != null && !key.add(attribute)) {
                problems.add(each, path, "attribute '" + attribute + "' is there twice");
            }
        }
        return new ArrayList<>(key);
    }

    private Rule.MissingKey missingKey(Fields fields) {
        return choice(fields, "missing-key", Rule.MissingKey.SKIP, Rule.MissingKey.values());
    }

    private OnFailure onStoreFailure(Fields fields) {
        return choice(fields, "on-store-failure", OnFailure.LOCAL, OnFailure.values());
    }

    private <E extends Enum<E>> E choice(Fields fields, String name, E otherwise, E[] choices) {
        Node node = fields.get(name);
        List<String> names = new ArrayList<>();
        for (E each : choices) {
            names.add(each.name().toLowerCase(Locale.ROOT));
        }
        String expected = "one of " + String.join(", ", names);
        String text = node == null ? null : Fields.text(node, fields.path(name), expected, problems);
        if (node == null || text == null) {
            return otherwise;
        }
        if (!names.contains(text)) {
            problems.add(
                    node,
                    fields.path(name),
                    "expected " + expected + ", was " + Quoted.quoted(text) + DidYouMean.hint(text, names));
            return otherwise;
        }
        return choices[names.indexOf(text)];
    }

    private OnExceed onExceed(Fields fields) {
        String path = fields.path("on-exceed");
        Node node = fields.get("on-exceed");
        String expected = "reject, 'wait up to 2s', degrade or shadow";
        String text = node == null ? "reject" : Fields.text(node, path, expected, problems);
        if (node == null || text == null) {
            return OnExceed.REJECT;
        }
        OnExceed named = EXCEEDS.get(text);
        if (named != null) {
            return named;
        }
        Duration wait = text.startsWith(WAIT)
                ? Durations.parse(text.substring(WAIT.length()).strip())
                : null;
        if (wait == null || wait.isZero() || wait.compareTo(OnExceed.MAX_WAIT) > 0) {
            String bound = text.startsWith("wait") ? ", longer than zero and at most ten minutes" : "";
            problems.add(
                    node,
                    path,
                    "expected " + expected + bound + ", was " + Quoted.quoted(text)
                            + DidYouMean.hint(text, EXCEEDS.keySet()));
            return OnExceed.REJECT;
        }
        return OnExceed.waitUpTo(wait);
    }

    private Map<String, Integer> priority(Fields fields) {
        Node node = fields.get("priority");
        String expected = "shares by class, such as { background: 50%, normal: 80% }";
        Fields written = node == null ? null : Fields.any(node, fields.path("priority"), expected, problems);
        Map<String, Integer> shares = new LinkedHashMap<>();
        if (written != null) {
            written.all()
                    .forEach((name, field) -> shares.put(name, percent(field.value(), written.path(name), 1, 100)));
        }
        return shares;
    }

    private OptionalInt shedFrom(Fields fields) {
        Node node = fields.get("shed-from");
        return node == null ? OptionalInt.empty() : OptionalInt.of(percent(node, fields.path("shed-from"), 1, 99));
    }

    private int percent(Node node, String path, int least, int most) {
        String expected = "a percentage from " + least + "% to " + most + "%";
        String text = Fields.text(node, path, expected, problems);
        Integer percent = text == null ? null : Numbers.percent(text);
        if (text != null && (percent == null || percent < least || percent > most)) {
            problems.add(node, path, "expected " + expected + ", was " + Quoted.quoted(text));
        }
        return percent == null || percent < least || percent > most ? least : percent;
    }

    private List<RuleOverride> overrides(Fields fields) {
        Node node = fields.get("overrides");
        String path = fields.path("overrides");
        String expected = "a list such as [{ ip: 198.51.100.0/24, limits: unlimited }]";
        List<Node> written = node == null ? List.of() : Fields.list(node, path, expected, problems);
        Map<List<Condition>, RuleOverride> overrides = new LinkedHashMap<>();
        for (int i = 0; i < written.size(); i++) {
            Fields each = Fields.any(written.get(i), path + "[" + i + "]", "attributes and limits", problems);
            RuleOverride override = each == null ? null : override(each);
            if (each != null && override != null && overrides.putIfAbsent(override.when(), override) != null) {
                problems.add(
                        each.node, each.path, "an override before it is for the same keys, so this one never counts");
            }
        }
        return new ArrayList<>(overrides.values());
    }

    private @Nullable RuleOverride override(Fields each) {
        Node written = each.get(LIMITS);
        if (written == null) {
            String hints = each.all().keySet().stream()
                    .map(name -> DidYouMean.hint(name, List.of(LIMITS)))
                    .filter(hint -> !hint.isEmpty())
                    .findFirst()
                    .orElse("");
            problems.add(each.node, each.path, "'limits' is missing; expected the limits, or unlimited" + hints);
        }
        List<Limit> instead = written == null ? List.of() : limits.limits(written, each.path(LIMITS));
        List<Condition> when = conditions(each, Set.of(LIMITS));
        if (when.isEmpty()) {
            problems.add(each.node, each.path, "expected at least one attribute, such as ip: 198.51.100.0/24");
            return null;
        }
        return new RuleOverride(when, instead);
    }

    /** The field {@code ipv6-prefix} of a rule or a file. */
    static int prefix(Fields fields, int otherwise, FileProblems problems) {
        Node node = fields.get("ipv6-prefix");
        String path = fields.path("ipv6-prefix");
        String expected = "a number of bits from 1 to 128";
        String text = node == null ? null : Fields.text(node, path, expected, problems);
        if (node == null || text == null) {
            return otherwise;
        }
        Long bits = Numbers.parse(text);
        if (bits == null || bits < 1 || bits > 128) {
            problems.add(node, path, "expected " + expected + ", was " + Quoted.quoted(text));
            return otherwise;
        }
        return bits.intValue();
    }
}
