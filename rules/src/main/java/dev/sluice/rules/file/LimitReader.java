package dev.sluice.rules.file;

import dev.sluice.Limit;
import dev.sluice.LimitParser;
import dev.sluice.LimitSyntaxException;
import dev.sluice.text.DidYouMean;
import dev.sluice.text.Quoted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the limits of a rule, in their short form and as mappings. What a limit is, {@link LimitParser} knows; this finds
 * the places of what is wrong in the file.
 */
final class LimitReader {
    /** The largest number of limits of one rule. */
    private static final int MAX_LIMITS = 16;

    private static final String UNLIMITED = "unlimited";
    private static final String EXPECTED =
            "a limit such as '5 per 1m', '100 per 1d fixed-window aligned=UTC', '20 at once' or 'unlimited'";

    private LimitReader() {}

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
        YamlFields fields = value.fields(EXPECTED, LimitParser.fields());
        if (fields == null) {
            return null;
        }
        Map<String, String> texts = new LinkedHashMap<>();
        boolean readable = true;
        for (String name : LimitParser.fields()) {
            YamlValue field = fields.get(name);
            String text = field == null ? null : field.text("a value");
            if (text != null) {
                texts.put(name, text);
            }
            readable &= field == null || text != null;
        }
        try {
            return readable ? LimitParser.parse(texts) : null;
        } catch (LimitSyntaxException e) {
            for (LimitSyntaxException.Problem problem : e.problems()) {
                YamlValue field = fields.get(problem.field());
                (field == null ? value : field).problem(problem.message());
            }
            return null;
        }
    }

    /** The limit that a text in the short form means; null, and a problem, if it means none. */
    static @Nullable Limit shortForm(YamlValue value) {
        String text = value.text(EXPECTED);
        if (text == null) {
            return null;
        }
        if (text.startsWith("unl")) {
            value.problem("expected " + EXPECTED + ", was " + Quoted.quoted(text)
                    + DidYouMean.hint(text, List.of(UNLIMITED)));
            return null;
        }
        try {
            return LimitParser.parse(text, EXPECTED);
        } catch (LimitSyntaxException e) {
            e.problems().forEach(problem -> value.problem(problem.offset(), problem.message()));
            return null;
        }
    }
}
