package dev.sluice.rules.file;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.rules.Quoted;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the limits of a rule, in their short form and as mappings. */
final class LimitReader {
    /** The largest number of limits of one rule. */
    private static final int MAX_LIMITS = 16;

    private static final String UNLIMITED = "unlimited";
    private static final String EXPECTED =
            "a limit such as '5 per 1m', '100 per 1d fixed-window aligned=UTC', '20 at once' or 'unlimited'";
    private static final Set<String> FIELDS = fields();
    private static final Set<String> FLAGS = Set.of("aligned", "weighted", "queue");
    private static final Pattern WORD = Pattern.compile("\\S+", Pattern.UNICODE_CHARACTER_CLASS);

    private LimitReader() {}

    private static Set<String> fields() {
        Set<String> fields = new LinkedHashSet<>(List.of("permits", "per", "algorithm"));
        fields.addAll(LimitSpec.allOptions());
        return fields;
    }

    /** The limits of a field; none for unlimited. */
    static List<Limit> limits(YamlValue value) {
        List<YamlValue> written = value.listOrOne();
        if (written.isEmpty() || written.size() > MAX_LIMITS) {
            value.problem("expected 1 to " + MAX_LIMITS + " limits, or 'unlimited', were " + written.size());
            return List.of();
        }
        List<Limit> limits = new ArrayList<>();
        for (YamlValue each : written) {
            if (each.is(UNLIMITED)) {
                if (written.size() > 1) {
                    each.problem("unlimited stands alone, without other limits");
                }
                continue;
            }
            Limit limit = each.isMapping() ? mapped(each) : shortForm(each);
            if (limit != null) {
                limits.add(limit);
            }
        }
        return limits;
    }

    private static @Nullable Limit mapped(YamlValue value) {
        YamlFields fields = value.fields(EXPECTED, FIELDS);
        if (fields == null) {
            return null;
        }
        LimitSpec spec = new LimitSpec();
        fields.all().forEach((name, field) -> {
            String text = FIELDS.contains(name) ? field.text("a value") : null;
            if (text == null) {
                return;
            }
            LimitSpec.Part part = new LimitSpec.Part(text, field, 0);
            switch (name) {
                case "permits" -> spec.permits(part);
                case "per" -> spec.per(part);
                case "algorithm" -> spec.algorithm(part);
                default -> spec.option(name, part);
            }
        });
        if (fields.required("permits", "how many") == null) {
            return null;
        }
        if (!spec.holds() && fields.required("per", Durations.EXPECTED) == null) {
            return null;
        }
        return spec.build(value);
    }

    /** The limit that a text in the short form means; null, and a problem, if it means none. */
    static @Nullable Limit shortForm(YamlValue value) {
        String text = value.text(EXPECTED);
        if (text == null) {
            return null;
        }
        List<LimitSpec.Part> words = new ArrayList<>();
        for (MatchResult word : WORD.matcher(text).results().toList()) {
            words.add(new LimitSpec.Part(word.group(), value, word.start()));
        }
        if (words.size() == 3
                && words.get(1).text().equals("at")
                && words.get(2).text().equals("once")) {
            LimitSpec spec = new LimitSpec();
            spec.permits(words.get(0));
            spec.algorithm(new LimitSpec.Part("concurrency", value, 0));
            return spec.build(value);
        }
        if (words.size() < 3 || !words.get(1).text().equals("per")) {
            int at = words.size() > 1 ? words.get(1).offset() : 0;
            String hint = text.startsWith("unl") ? DidYouMean.hint(text, List.of(UNLIMITED)) : "";
            value.problem(at, "expected " + EXPECTED + ", was " + Quoted.quoted(text) + hint);
            return null;
        }
        return rate(words, value);
    }

    private static @Nullable Limit rate(List<LimitSpec.Part> words, YamlValue value) {
        LimitSpec spec = new LimitSpec();
        spec.permits(words.get(0));
        spec.per(words.get(2));
        for (int i = 3; i < words.size(); i++) {
            LimitSpec.Part word = words.get(i);
            int equals = word.text().indexOf('=');
            String name = equals < 0 ? word.text() : word.text().substring(0, equals);
            if (i == 3 && equals < 0 && !FLAGS.contains(name)) {
                spec.algorithm(word);
            } else {
                String text = equals < 0 ? "" : word.text().substring(equals + 1);
                spec.option(name, new LimitSpec.Part(text, value, word.offset()));
                if (equals < 0 ? !FLAGS.contains(name) : text.isEmpty()) {
                    spec.problem(word, "expected option=value, was " + Quoted.quoted(word.text()));
                }
            }
        }
        return spec.build(value);
    }
}
