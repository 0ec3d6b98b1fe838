package dev.sluice.rules.match;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A condition on one attribute: its value must match one of {@code any}, unless that is empty, and none of
 * {@code none}. A request without the attribute meets the condition only if {@code any} is empty.
 */
public record Condition(String attribute, List<Pattern> any, List<Pattern> none) {
    public Condition {
        any = List.copyOf(any);
        none = List.copyOf(none);
        if (any.isEmpty() && none.isEmpty()) {
            throw new IllegalArgumentException("a condition on " + attribute + " must have at least one pattern");
        }
    }

    /** The value is exactly {@code value}. */
    public static Condition is(String attribute, String value) {
        return new Condition(attribute, List.of(new Pattern.Exact(Attributes.normalized(attribute, value))), List.of());
    }

    /** The value matches one of {@code patterns}, written as in a rule file. */
    public static Condition anyOf(String attribute, String... patterns) {
        List<Pattern> any = List.of(patterns).stream()
                .map(text -> Pattern.parse(attribute, text))
                .toList();
        return new Condition(attribute, any, List.of());
    }

    /** Whether a value meets the condition; null stands for an attribute that is not there. */
    public boolean matches(@Nullable String value) {
        return value == null ? any.isEmpty() : isAny(value) && !matchesAny(none, value);
    }

    private boolean isAny(String value) {
        return any.isEmpty() || matchesAny(any, value);
    }

    private static boolean matchesAny(List<Pattern> patterns, String value) {
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
