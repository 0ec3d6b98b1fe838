package dev.sluice.spring.method;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleBuilder;
import dev.sluice.rules.file.FileProblem;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import dev.sluice.rules.match.Condition;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.WebRules;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

/** Parses annotations, checks them, and adds their rules to the registry. */
final class RateLimitAnnotationParser {
    /** The condition of an annotation's own rule, which no web request matches. */
    private static final String METHOD = "java-method";

    private static final Logger LOG = LoggerFactory.getLogger(RateLimitAnnotationParser.class);

    private final ConfigurableBeanFactory beans;
    private final RuleRegistry registry;
    private final Map<String, Integer> priorities;
    private final boolean reactive;

    /** {@code reactive}: whether the application serves web requests by WebFlux. */
    RateLimitAnnotationParser(
            ConfigurableBeanFactory beans, RuleRegistry registry, Map<String, Integer> priorities, boolean reactive) {
        this.beans = beans;
        this.registry = registry;
        this.priorities = priorities;
        this.reactive = reactive;
        priorities.forEach(RateLimitAnnotationParser::requireShare);
    }

    private static void requireShare(String priority, int percent) {
        if (percent < 1 || percent > 100) {
            throw new RateLimitConfigurationException(
                    "sluice.priorities." + priority + ": expected a share from 1 to 100 percent, was " + percent);
        }
    }

    /** Parses the annotations of a method, and then those of its class. */
    RateLimitedMethod parse(Method method, Class<?> type, List<RateLimit> own, List<RateLimit> ofType) {
        String where = where(type, method);
        ReturnType returns = returns(method, where);
        Target target = new Target(method, type, where, returns);
        List<RateLimitOperation> operations = new ArrayList<>();
        String name = simpleName(type) + "." + method.getName();
        String place = type.getName() + "." + signature(method);
        for (int i = 0; i < own.size(); i++) {
            operations.add(operation(own.get(i), i == 0 ? name : name + "#" + (i + 1), place, target));
        }
        for (int i = 0; i < ofType.size(); i++) {
            String shared = simpleName(type) + (i == 0 ? "" : "#" + (i + 1));
            operations.add(operation(ofType.get(i), shared, "class " + type.getName(), target));
        }
        requireTheirCaller(operations, target);
        requireOneRefund(operations, where);
        return new RateLimitedMethod(operations, returns, isScheduled(method));
    }

    /** A method with annotations. */
    private record Target(Method method, Class<?> type, String where, ReturnType returns) {}

    private static ReturnType returns(Method method, String where) {
        try {
            return ReturnType.of(method);
        } catch (IllegalArgumentException e) {
            throw wrong(where, "", String.valueOf(e.getMessage()));
        }
    }

    /** The name of a class without its package; that of an anonymous class has a number. */
    private static String simpleName(Class<?> type) {
        return type.getSimpleName().isEmpty() ? ClassUtils.getShortName(type) : type.getSimpleName();
    }

    /** A method as messages name it. */
    static String where(Class<?> type, Method method) {
        return simpleName(type) + "." + signature(method);
    }

    /** The name of a method with the types of its parameters. */
    static String signature(Method method) {
        return method.getName()
                + Stream.of(SuspendingFunction.parameters(method))
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    private static boolean isScheduled(Method method) {
        Class<?> type = method.getReturnType();
        return MergedAnnotations.from(method, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
                        .isPresent(Scheduled.class)
                && (type == void.class || !type.isPrimitive());
    }

    /** On WebFlux the user and the request are in Reactor's context, which a method that returns a value cannot see. */
    private void requireTheirCaller(List<RateLimitOperation> operations, Target target) {
        if (reactive
                && target.returns.handler()
                && target.returns.kind() == ReturnType.Kind.VALUE
                && operations.stream().anyMatch(RateLimitOperation::needsCaller)) {
            throw wrong(
                    target.where,
                    "",
                    "on WebFlux a method that returns a "
                            + target.method.getReturnType().getSimpleName()
                            + " does not see the user and the request that its key needs: let it return a Mono, or take "
                            + "the Principal or the ServerWebExchange as a parameter and use that in the key");
        }
    }

    /** What is refunded is told by the name of the rule. */
    private static void requireOneRefund(List<RateLimitOperation> operations, String where) {
        for (RateLimitOperation each : operations) {
            long same = operations.stream()
                    .filter(other -> other.rule().equals(each.rule()))
                    .count();
            if (each.unless() != null && same > 1) {
                throw wrong(
                        where, "unless", "another annotation of the method has the same rule '" + each.rule() + "'");
            }
        }
    }

    private RateLimitOperation operation(RateLimit annotation, String name, String place, Target target) {
        String where = target.where;
        String named = resolved(annotation.rule(), where, "rule");
        List<String> limits = Stream.of(annotation.value())
                .map(limit -> resolved(limit, where, "value"))
                .toList();
        if (named.isEmpty() == limits.isEmpty()) {
            throw wrong(
                    where,
                    "",
                    limits.isEmpty()
                            ? "expected limits such as \"5 per 1m\", or rule = \"...\""
                            : "it names rule '" + named + "', whose limits apply: leave out " + limits);
        }
        Rule rule = named.isEmpty() ? own(annotation, name, limits, where) : named(annotation, named, target);
        requireHeld(rule, target);
        String priority = priority(annotation, rule, where);
        if (named.isEmpty()) {
            registry.add(rule, place);
        }
        String permits = resolved(annotation.permits(), where, "permits");
        boolean fixed = permits.matches("\\d{1,18}");
        return new RateLimitOperation(
                rule.name(),
                named.isEmpty(),
                expression("key", annotation.key(), target),
                fixed ? null : expression("permits", annotation.permits(), target),
                fixed ? Long.parseLong(permits) : 1,
                priority,
                fallback(annotation, target),
                expression("condition", annotation.condition(), target),
                expression("unless", annotation.unless(), target));
    }

    /** A rule that holds permits until a call is done must be able to tell when that is. */
    private static void requireHeld(Rule rule, Target target) {
        Stream<Limit> limits = Stream.concat(
                rule.limits().stream(), rule.overrides().stream().flatMap(each -> each.limits().stream()));
        String reason = limits.anyMatch(Limit::holds) ? target.returns.whyNotHeld(target.method, target.type) : null;
        if (reason != null) {
            throw wrong(target.where, "", "permits that are held until the call is done: " + reason);
        }
    }

    private Rule own(RateLimit annotation, String defaultName, List<String> limits, String where) {
        String name = annotation.name().isEmpty() ? defaultName : resolved(annotation.name(), where, "name");
        List<Limit> read = new ArrayList<>();
        for (String limit : limits) {
            try {
                read.add(RuleFile.limit(where, limit));
            } catch (RuleFileException e) {
                if (limit.contains(",")) {
                    throw new RateLimitConfigurationException("@RateLimit on " + where + ": expected one limit, was '"
                            + limit + "'; several are a list: {\"" + limit.replaceAll("\\s*,\\s*", "\", \"") + "\"}");
                }
                throw new RateLimitConfigurationException(e.problems().stream()
                        .map(FileProblem::message)
                        .map(message -> "@RateLimit on " + where + ": " + message)
                        .toList());
            }
        }
        RuleBuilder rule = Rule.named(name)
                .when(Condition.is(METHOD, name))
                .limits(read.toArray(Limit[]::new))
                .missingKey(Rule.MissingKey.APPLY)
                .onStoreFailure(annotation.onStoreFailure());
        if (!annotation.key().isEmpty()) {
            rule.key(RateLimitOperation.KEY);
        }
        String wait = resolved(annotation.waitUpTo(), where, "waitUpTo");
        if (!wait.isEmpty()) {
            rule.onExceed(OnExceed.waitUpTo(duration(wait, where)));
        }
        priorities.forEach(rule::priority);
        return rule.build();
    }

    private static Duration duration(String text, String where) {
        Duration wait = Durations.parse(text);
        if (wait == null || wait.isZero() || wait.compareTo(OnExceed.MAX_WAIT) > 0) {
            throw wrong(
                    where,
                    "waitUpTo",
                    "expected a duration such as 200ms, at most " + Durations.text(OnExceed.MAX_WAIT) + ", was '" + text
                            + "'");
        }
        return wait;
    }

    private Rule named(RateLimit annotation, String name, Target target) {
        String where = target.where;
        if (registry.rule(name) == null) {
            throw wrong(where, "rule", registry.unknownRule(name));
        }
        Rule rule = registry.use(name, "@RateLimit on " + where, next -> {
            requireHeld(next, target);
            priority(annotation, next, where);
        });
        if (!annotation.waitUpTo().isEmpty()) {
            throw wrong(where, "waitUpTo", "whether calls wait is up to rule '" + name + "', by its on-exceed");
        }
        warn(annotation, rule, where);
        return rule;
    }

    /** Warns if the rule's key is from the web request, which does not have it. */
    private void warn(RateLimit annotation, Rule rule, String where) {
        WebRules web = registry.web();
        if (annotation.key().isEmpty() && !web.isForWeb(rule)) {
            web.warnings(rule).forEach(warning -> LOG.warn("@RateLimit on {}: {}", where, warning));
        }
    }

    private String priority(RateLimit annotation, Rule rule, String where) {
        String priority = resolved(annotation.priority(), where, "priority");
        if (!priority.isEmpty() && !rule.priority().containsKey(priority)) {
            String owner = annotation.rule().isEmpty() ? "sluice.priorities" : "rule '" + rule.name() + "'";
            List<String> known = rule.priority().keySet().stream().sorted().toList();
            throw wrong(where, "priority", owner + " has no class '" + priority + "'; it has " + known);
        }
        return priority;
    }

    private @Nullable CallExpression expression(String attribute, String written, Target target) {
        String text = resolved(written, target.where, attribute);
        if (text.isEmpty()) {
            return null;
        }
        try {
            Class<?> result = attribute.equals("unless") ? target.returns.result(target.method) : null;
            return CallExpression.parse(
                    text,
                    new CallExpression.Place(target.where, attribute, target.method, result),
                    beans,
                    beans.getBeanClassLoader());
        } catch (IllegalArgumentException e) {
            throw wrong(target.where, attribute, "'" + text + "': " + e.getMessage());
        }
    }

    private @Nullable FallbackMethod fallback(RateLimit annotation, Target target) {
        String name = resolved(annotation.fallback(), target.where, "fallback");
        try {
            return name.isEmpty() ? null : FallbackMethod.find(name, target.method, target.type);
        } catch (IllegalArgumentException e) {
            throw wrong(target.where, "fallback", "'" + name + "': " + e.getMessage());
        }
    }

    private String resolved(String text, String where, String attribute) {
        if (!text.contains("${")) {
            return text;
        }
        try {
            String resolved = beans.resolveEmbeddedValue(text);
            if (resolved != null && !resolved.contains("${")) {
                return resolved;
            }
        } catch (IllegalArgumentException e) {
            // Reported below as when a placeholder is left as it is, which depends on the application.
        }
        throw wrong(where, attribute, "'" + text + "': there is no such property");
    }

    static RateLimitConfigurationException wrong(String where, String attribute, String reason) {
        return new RateLimitConfigurationException(
                "@RateLimit on " + where + ": " + (attribute.isEmpty() ? "" : attribute + ": ") + reason);
    }
}
