package dev.sluice.spring.method;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitConfigurationException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ReflectionUtils;

/** The limits of the methods of a bean, as the annotations on its types define them. */
final class LimitedMethods {
    private final List<Class<?>> types;
    private final Supplier<RateLimitAnnotationParser> parser;
    private final Map<Method, RateLimitedMethod> known = new ConcurrentHashMap<>();

    LimitedMethods(List<Class<?>> types, Supplier<RateLimitAnnotationParser> parser) {
        this.types = List.copyOf(types);
        this.parser = parser;
    }

    /** Parses all annotations, so that wrong ones are found before the first call, and all of them are named. */
    void parseAll() {
        Set<String> problems = new LinkedHashSet<>();
        for (Class<?> type : types) {
            if (type.isInterface()) {
                Stream.of(type.getMethods())
                        .filter(method -> !Modifier.isStatic(method.getModifiers()))
                        .forEach(method -> attempt(() -> of(method), problems));
            } else {
                ReflectionUtils.doWithMethods(
                        type,
                        method -> attempt(() -> parse(method, type), problems),
                        ReflectionUtils.USER_DECLARED_METHODS);
            }
        }
        if (!problems.isEmpty()) {
            throw new RateLimitConfigurationException(List.copyOf(problems));
        }
    }

    private static void attempt(Runnable parse, Set<String> problems) {
        try {
            parse.run();
        } catch (RateLimitConfigurationException e) {
            problems.addAll(e.problems());
        }
    }

    private void parse(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        boolean hidden = Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers);
        if (!hidden) {
            of(method);
        } else if (!RateLimitAnnotations.of(method).isEmpty()
                || !RateLimitAnnotations.ofType(type, method).isEmpty()) {
            throw RateLimitAnnotationParser.wrong(
                    RateLimitAnnotationParser.where(type, method),
                    "",
                    "a method that is private, static or final cannot be limited, since it cannot be overridden"
                            + (KotlinDetector.isKotlinType(type) ? "; in Kotlin, make it and its class open" : ""));
        }
    }

    /** The limits of a method, as it is called on the bean. */
    RateLimitedMethod of(Method method) {
        RateLimitedMethod parsed = known.get(method);
        if (parsed == null) {
            Annotated found = find(method);
            parsed = found == null
                    ? RateLimitedMethod.UNLIMITED
                    : parser.get().parse(found.method, found.type, found.own, found.ofType);
            known.put(method, parsed);
        }
        return parsed;
    }

    /** Whether a method has limits. This looks at annotations and at nothing else, and so can be asked ahead of time. */
    boolean isLimited(Method method) {
        return find(method) != null;
    }

    private record Annotated(Method method, Class<?> type, List<RateLimit> own, List<RateLimit> ofType) {}

    private @Nullable Annotated find(Method method) {
        for (Class<?> type : types) {
            if (method.getDeclaringClass().isAssignableFrom(type)) {
                Method specific = BridgeMethodResolver.findBridgedMethod(AopUtils.getMostSpecificMethod(method, type));
                List<RateLimit> own = RateLimitAnnotations.of(specific);
                List<RateLimit> ofType = RateLimitAnnotations.ofType(type, specific);
                if (!own.isEmpty() || !ofType.isEmpty()) {
                    return new Annotated(specific, type, own, ofType);
                }
            }
        }
        return null;
    }
}
