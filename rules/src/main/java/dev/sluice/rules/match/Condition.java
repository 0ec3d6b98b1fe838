package dev.sluice.rules.match;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one attribute must be: one of {@code any}, if there are some, and none of {@code none}. An attribute that a
 * request does not have is none of anything, so that only {@code none} can hold of it.
 */
public record Condition(String attribute, List<Pattern> any, List<Pattern> none) {
    public Condition {
        any = List.copyOf(any);
        none = List.copyOf(none);
        if (any.isEmpty() && none.isEmpty()) {
            throw new IllegalArgumentException("a condition on " + attribute + " compares with nothing");
        }
    }

    /** The attribute is exactly {@code value}. */
    public static Condition is(String attribute, String value) {
        return new Condition(attribute, List.of(new Pattern.Exact(Attributes.normalized(attribute, value))), List.of());
    }

    /** The attribute matches one of {@code patterns}, as a rule file writes them. */
    public static Condition anyOf(String attribute, String... patterns) {
        List<Pattern> any = List.of(patterns).stream()
                .map(text -> Pattern.parse(attribute, text))
                .toList();
        return new Condition(attribute, any, List.of());
    }

    /** Whether it holds of {@code value}, the attribute's; null if there is none. */
    public boolean holds(@Nullable String value) {
        return value == null ? any.isEmpty() : isAny(value) && !matches(none, value);
    }

    private boolean isAny(String value) {
        return any.isEmpty() || matches(any, value);
    }

    private static boolean matches(List<Pattern> patterns, String value) {
        for (int i = 0; i < patterns.size(); i++) {
            if (patterns.get(i).matches(value)) {
                return true;
            }
        }
        return false;
    }

    /** As in a rule file, on one line: {@code path: [/api/**, {not: /api/health}]}. */
    @Override
    public String toString() {
        String all = any.stream().map(Pattern::toString).collect(Collectors.joining(", "));
        String not = none.stream().map(Pattern::toString).collect(Collectors.joining(", "));
        if (none.isEmpty()) {
            return attribute + ": " + (any.size() == 1 ? all : "[" + all + "]");
        }
        String negated = "{not: " + (none.size() == 1 ? not : "[" + not + "]") + "}";
        return attribute + ": " + (any.isEmpty() ? negated : "[" + all + ", " + negated + "]");
    }
}
