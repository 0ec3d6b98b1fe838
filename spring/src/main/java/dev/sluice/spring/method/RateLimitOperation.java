package dev.sluice.spring.method;

import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleCheck;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.caller.CallerContext;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/**
 * One {@link dev.sluice.spring.RateLimit} on one method, parsed.
 *
 * @param rule the name of the rule to check
 * @param own whether the rule was made from the annotation's own limits
 * @param key the expression for the key; null for one counter, or for the key that the named rule defines
 * @param permits the expression for the number of permits; null if it is always {@code fixedPermits}
 * @param priority the priority class of the calls; empty for none
 * @param fallback the method to call in place of one over the limit; null for none
 * @param condition the expression that says whether it applies to a call; null if it applies to all
 * @param unless the expression that says, after a call, whether its permits are refunded; null if they never are
 * @param fixed the check that every call makes; null if it depends on the call
 */
record RateLimitOperation(
        String rule,
        boolean own,
        @Nullable CallExpression key,
        @Nullable CallExpression permits,
        long fixedPermits,
        String priority,
        @Nullable FallbackMethod fallback,
        @Nullable CallExpression condition,
        @Nullable CallExpression unless,
        @Nullable RuleCheck fixed) {
    /** The only attribute in the key of an annotation's own rule. */
    static final String KEY = "key";

    RateLimitOperation(
            String rule,
            boolean own,
            @Nullable CallExpression key,
            @Nullable CallExpression permits,
            long fixedPermits,
            String priority,
            @Nullable FallbackMethod fallback,
            @Nullable CallExpression condition,
            @Nullable CallExpression unless) {
        this(
                rule,
                own,
                key,
                permits,
                fixedPermits,
                priority,
                fallback,
                condition,
                unless,
                own && key == null && permits == null
                        ? new RuleCheck(rule, request(Request.builder(), priority, fixedPermits))
                        : null);
    }

    /** Whether it needs the web request or the user. */
    boolean needsCaller() {
        return (!own && key == null)
                || needsCaller(key)
                || needsCaller(permits)
                || needsCaller(condition)
                || needsCaller(unless);
    }

    private static boolean needsCaller(@Nullable CallExpression expression) {
        return expression != null && expression.needsCaller();
    }

    boolean applies(MethodInvocation call, CallerContext caller) {
        return condition == null || condition.holdsBefore(call, caller);
    }

    boolean isRefunded(MethodInvocation call, CallerContext caller, @Nullable Object result) {
        return unless != null && unless.holdsAfter(call, caller, result);
    }

    RuleCheck check(MethodInvocation call, CallerContext caller, RuleRegistry registry) {
        if (fixed != null) {
            return fixed;
        }
        Request.Builder request = own ? Request.builder() : ofRule(call, caller, registry);
        if (own && key != null) {
            put(request, KEY, key, key.value(call, caller));
        }
        long cost = permits == null ? fixedPermits : count(permits, permits.value(call, caller));
        return new RuleCheck(rule, request(request, priority, cost));
    }

    private static Request request(Request.Builder request, String priority, long cost) {
        return (priority.isEmpty() ? request : request.with("priority", priority))
                .cost(cost)
                .build();
    }

    /** The attributes of a named rule's key: from the expression, or else from the web request. */
    private Request.Builder ofRule(MethodInvocation call, CallerContext caller, RuleRegistry registry) {
        Rule named = key == null ? null : registry.rule(rule);
        if (key == null || named == null) {
            return caller.attributes(registry.web());
        }
        Object found = key.value(call, caller);
        Request.Builder request = Request.builder();
        List<String> names = named.key();
        if (found instanceof Map<?, ?> values) {
            values.forEach((name, value) -> put(request, String.valueOf(name), key, value));
        } else if (names.size() == 1) {
            put(request, names.get(0), key, found);
        } else if (found instanceof Collection<?> values && values.size() == names.size()) {
            int i = 0;
            for (Object value : values) {
                put(request, names.get(i++), key, value);
            }
        } else if (!names.isEmpty() && found != null) {
            throw key.failure(
                    "the key of rule '" + rule + "' has the attributes " + names
                            + ": expected as many values, or a map of them, was " + found,
                    null);
        }
        return request;
    }

    private static void put(Request.Builder request, String name, CallExpression key, @Nullable Object value) {
        if (value != null) {
            request.with(name, text(key, value));
        }
    }

    /** Joins the values of a list or an array so that different ones have different texts. */
    private static String text(CallExpression key, @Nullable Object value) {
        if (value == null || value instanceof CharSequence) {
            return String.valueOf(value);
        }
        if (value instanceof Collection<?> || value.getClass().isArray()) {
            Object[] values = value instanceof Collection<?> all ? all.toArray() : ObjectUtils.toObjectArray(value);
            return values.length == 0
                    ? "[]"
                    : Arrays.stream(values)
                            .map(each -> text(key, each).replace("\\", "\\\\").replace("|", "\\|"))
                            .collect(Collectors.joining("|"));
        }
        String text = String.valueOf(value);
        String type = value.getClass().getName();
        if (text.startsWith(type) && text.startsWith("@", type.length())) {
            // Each object would be a key of its own, and the limit would never be reached.
            throw key.failure(
                    "expected a value that tells itself from others by its text, was a " + type
                            + ", which has no toString() of its own: use one of its properties",
                    null);
        }
        return text;
    }

    private static long count(CallExpression permits, @Nullable Object value) {
        try {
            long count = value instanceof Integer || value instanceof Long
                    ? ((Number) value).longValue()
                    : new BigDecimal(String.valueOf(value)).longValueExact();
            if (count >= 0 && value instanceof Number) {
                return count;
            }
        } catch (ArithmeticException | NumberFormatException e) {
            // Reported below: it is not whole, too large, or no number at all.
        }
        throw permits.failure("expected a whole number, at least 0, was " + value, null);
    }
}
