package dev.sluice.rules.match;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * How the server behind compares paths: whether letters in upper and lower case, and paths with and without a slash at
 * their end, are the same to it.
 */
public record PathOptions(Comparison letterCase, Comparison trailingSlash) {
    /** Letters differ by case; a slash at the end does not matter. */
    public static final PathOptions DEFAULT = new PathOptions(Comparison.EXACT, Comparison.IGNORE);

    /** Whether a difference matters. */
    public enum Comparison {
        EXACT,
        IGNORE
    }

    /** Whether a path that has one form has other forms by these options. */
    public boolean isOneForm(String path) {
        return letterCase == Comparison.EXACT && !losesSlash(path);
    }

    /** The forms by these options. */
    public List<String> forms(List<String> forms) {
        Set<String> all = new LinkedHashSet<>();
        for (String form : forms) {
            String folded = folded(form);
            all.add(folded);
            all.add(key(folded));
        }
        return List.copyOf(all);
    }

    /** The form of a path that stands in a key: one for all that are the same by these options. */
    public String key(String form) {
        return losesSlash(form) ? form.substring(0, form.length() - 1) : form;
    }

    /** The conditions with their patterns on paths by these options. */
    public List<Condition> conditions(List<Condition> conditions) {
        return conditions.stream().map(this::condition).toList();
    }

    private Condition condition(Condition condition) {
        return condition.attribute().equals(Attributes.PATH)
                ? new Condition(condition.attribute(), patterns(condition.any()), patterns(condition.none()))
                : condition;
    }

    private List<Pattern> patterns(List<Pattern> patterns) {
        List<Pattern> all = new ArrayList<>();
        for (Pattern pattern : patterns) {
            if (pattern instanceof Pattern.In) {
                all.add(pattern);
                continue;
            }
            String text = folded(pattern.toString());
            all.add(withText(pattern, text));
            if (losesSlash(text)) {
                all.add(withText(pattern, key(text)));
            }
        }
        return all;
    }

    private static Pattern withText(Pattern pattern, String text) {
        return pattern instanceof Glob ? Glob.parse(text) : new Pattern.Exact(text);
    }

    private String folded(String path) {
        return letterCase == Comparison.IGNORE ? path.toLowerCase(Locale.ROOT) : path;
    }

    private boolean losesSlash(String path) {
        return trailingSlash == Comparison.IGNORE && path.length() > 1 && path.endsWith("/");
    }
}
