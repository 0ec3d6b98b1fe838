package dev.sluice.spring.method;

import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleCheck;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.CallerContext;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One annotation on one method, made ready.
 *
 * @param rule the rule it asks
 * @param own whether that is its own, made of its limits
 * @param key whom to count for; null: nobody in particular, or as the rule says
 * @param permits how many permits a call takes, unless it is {@code fixedPermits}
 * @param priority the class of its calls; empty for none
 * @param fallback what to call in place of one over the limit; null for nothing
 */
record RateLimitOperation(
        String rule,
        boolean own,
        @Nullable CallExpression key,
        @Nullable CallExpression permits,
        long fixedPermits,
        String priority,
        @Nullable FallbackMethod fallback) {
    /** The attribute that the key of an annotation's own rule is made of. */
    static final String KEY = "key";

    /** Whether it needs to know who is calling. */
    boolean asksCaller() {
        return (!own && key == null) || asks(key) || asks(permits);
    }

    private static boolean asks(@Nullable CallExpression expression) {
        return expression != null && expression.asksCaller();
    }

    RuleCheck ask(MethodInvocation call, CallerContext caller, RuleRegistry registry) {
        Request.Builder request = own ? Request.builder() : ofRule(call, caller, registry);
        Object whom = own && key != null ? key.value(call, caller) : null;
        if (whom != null) {
            request.with(KEY, text(whom));
        }
        if (!priority.isEmpty()) {
            request.with("priority", priority);
        }
        return new RuleCheck(
                rule,
                request.cost(permits == null ? fixedPermits : count(permits.value(call, caller)))
                        .build());
    }

    /** The attributes that a rule makes its key of: from the expression, or else from the web request. */
    private Request.Builder ofRule(MethodInvocation call, CallerContext caller, RuleRegistry registry) {
        Object whom = key == null ? null : key.value(call, caller);
        Rule asked = key == null ? null : registry.rule(rule);
        if (asked == null) {
            return caller.attributes(registry.web());
        }
        Request.Builder request = Request.builder();
        List<String> names = asked.key();
        if (whom instanceof Map<?, ?> values) {
            values.forEach((name, value) -> put(request, String.valueOf(name), value));
        } else if (names.size() == 1) {
            put(request, names.get(0), whom);
        } else if (whom instanceof Collection<?> values && values.size() == names.size()) {
            int i = 0;
            for (Object value : values) {
                put(request, names.get(i++), value);
            }
        } else if (!names.isEmpty()) {
            throw new IllegalArgumentException("rule '" + rule + "' makes its key of " + names
                    + ": expected as many values, or a map of them, was " + whom);
        }
        return request;
    }

    private static void put(Request.Builder request, String name, @Nullable Object value) {
        if (value != null) {
            request.with(name, text(value));
        }
    }

    /** A list's values joined so that no two lists are the same text. */
    private static String text(Object value) {
        Collection<?> values = value instanceof Collection<?> collection
                ? collection
                : value instanceof Object[] array ? Arrays.asList(array) : List.of();
        String text = values.isEmpty()
                ? String.valueOf(value)
                : values.stream()
                        .map(each -> String.valueOf(each).replace("\\", "\\\\").replace("|", "\\|"))
                        .collect(Collectors.joining("|"));
        return text.length() > Request.MAX_VALUE ? text.substring(0, Request.MAX_VALUE) : text;
    }

    private static long count(@Nullable Object value) {
        if (value instanceof Number number) {
            return number.longValue();
        }
        throw new IllegalArgumentException("permits: expected a number, was " + value);
    }
}
