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
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Parses annotations, checks them, and adds their rules to the registry. */
final class RateLimitAnnotationParser {
    /** The condition of an annotation's own rule, which no web request matches. */
    private static final String METHOD = "java-method";

    private final ConfigurableBeanFactory beans;
    private final RuleRegistry registry;
    private final Map<String, Integer> priorities;

    RateLimitAnnotationParser(ConfigurableBeanFactory beans, RuleRegistry registry, Map<String, Integer> priorities) {
        this.beans = beans;
        this.registry = registry;
        this.priorities = priorities;
    }

    /** Parses the annotations of a method, and then those of its class. */
    RateLimitedMethod parse(Method method, Class<?> type, List<RateLimit> own, List<RateLimit> ofClass) {
        List<RateLimitOperation> operations = new ArrayList<>();
        String where = type.getSimpleName() + "." + signature(method);
        String name = type.getSimpleName() + "." + method.getName();
        for (int i = 0; i < own.size(); i++) {
            operations.add(operation(own.get(i), i == 0 ? name : name + "#" + (i + 1), where, where, method, type));
        }
        for (int i = 0; i < ofClass.size(); i++) {
            String shared = type.getSimpleName() + (i == 0 ? "" : "#" + (i + 1));
            operations.add(operation(ofClass.get(i), shared, "class " + type.getName(), where, method, type));
        }
        return new RateLimitedMethod(operations, returns(method));
    }

    /** The name of a method with the types of its parameters. */
    static String signature(Method method) {
        return method.getName()
                + Stream.of(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    private static RateLimitedMethod.Returns returns(Method method) {
        Class<?> type = method.getReturnType();
        return CompletionStage.class.isAssignableFrom(type)
                ? RateLimitedMethod.Returns.FUTURE
                : switch (type.getName()) {
                    case "reactor.core.publisher.Mono" -> RateLimitedMethod.Returns.MONO;
                    case "reactor.core.publisher.Flux", "org.reactivestreams.Publisher" ->
                        RateLimitedMethod.Returns.FLUX;
                    default -> RateLimitedMethod.Returns.VALUE;
                };
    }

    private RateLimitOperation operation(
            RateLimit annotation, String name, String owner, String where, Method method, Class<?> type) {
        String named = resolved(annotation.rule());
        List<String> limits = Stream.of(annotation.value()).map(this::resolved).toList();
        if (named.isEmpty() == limits.isEmpty()) {
            throw wrong(
                    where,
                    "",
                    limits.isEmpty()
                            ? "expected limits such as \"5 per 1m\", or rule = \"...\""
                            : "it names rule '" + named + "', whose limits apply: leave out " + limits);
        }
        Rule rule = named.isEmpty() ? own(annotation, name, limits, where) : named(annotation, named, where);
        String priority = priority(annotation, rule, where);
        if (named.isEmpty()) {
            registry.add(rule, owner);
        }
        String permits = resolved(annotation.permits());
        boolean fixed = permits.matches("\\d{1,18}");
        return new RateLimitOperation(
                rule.name(),
                named.isEmpty(),
                expression("key", resolved(annotation.key()), method, where),
                fixed ? null : expression("permits", permits, method, where),
                fixed ? Long.parseLong(permits) : 1,
                priority,
                fallback(annotation, method, type, where));
    }

    private Rule own(RateLimit annotation, String defaultName, List<String> limits, String where) {
        String name = annotation.name().isEmpty() ? defaultName : resolved(annotation.name());
        List<Limit> read = new ArrayList<>();
        for (String limit : limits) {
            try {
                read.add(RuleFile.limit(where, limit));
            } catch (RuleFileException e) {
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
        String wait = resolved(annotation.waitUpTo());
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

    private Rule named(RateLimit annotation, String name, String where) {
        if (registry.rule(name) == null) {
            throw wrong(where, "rule", registry.unknownRule(name));
        }
        Rule rule = registry.use(name, "@RateLimit on " + where, next -> priority(annotation, next, where));
        if (!annotation.waitUpTo().isEmpty()) {
            throw wrong(where, "waitUpTo", "whether calls wait is up to rule '" + name + "', by its on-exceed");
        }
        return rule;
    }

    private String priority(RateLimit annotation, Rule rule, String where) {
        String priority = resolved(annotation.priority());
        if (!priority.isEmpty() && !rule.priority().containsKey(priority)) {
            String owner = annotation.rule().isEmpty() ? "sluice.priorities" : "rule '" + rule.name() + "'";
            List<String> known = rule.priority().keySet().stream().sorted().toList();
            throw wrong(where, "priority", owner + " has no class '" + priority + "'; it has " + known);
        }
        return priority;
    }

    private @Nullable CallExpression expression(String attribute, String text, Method method, String where) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            return CallExpression.parse(text, method, beans, beans.getBeanClassLoader());
        } catch (IllegalArgumentException e) {
            throw wrong(where, attribute, "'" + text + "': " + e.getMessage());
        }
    }

    private @Nullable FallbackMethod fallback(RateLimit annotation, Method method, Class<?> type, String where) {
        String name = resolved(annotation.fallback());
        try {
            return name.isEmpty() ? null : FallbackMethod.find(name, method, type);
        } catch (IllegalArgumentException e) {
            throw wrong(where, "fallback", "'" + name + "': " + e.getMessage());
        }
    }

    private String resolved(String text) {
        String resolved = text.contains("${") ? beans.resolveEmbeddedValue(text) : text;
        return resolved == null ? "" : resolved;
    }

    static RateLimitConfigurationException wrong(String where, String attribute, String reason) {
        return new RateLimitConfigurationException(
                "@RateLimit on " + where + ": " + (attribute.isEmpty() ? "" : attribute + ": ") + reason);
    }
}
