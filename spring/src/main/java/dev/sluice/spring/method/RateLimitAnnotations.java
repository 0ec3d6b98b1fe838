package dev.sluice.spring.method;

import dev.sluice.spring.RateLimit;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/**
 * Finds the annotations that count for a method or a class: its own, or, if it has none, those of what it overrides,
 * extends or implements.
 */
final class RateLimitAnnotations {
    private final Map<Class<?>, Boolean> declaring = new ConcurrentHashMap<>();

    /** The annotations of a method. */
    static List<RateLimit> of(Method method) {
        return nearest(method);
    }

    /** The annotations of a type, if they count for this method: it must be public and not static. */
    static List<RateLimit> ofType(Class<?> type, Method method) {
        boolean counts = Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && method.getDeclaringClass() != Object.class;
        return counts ? nearest(type) : List.of();
    }

    private static List<RateLimit> nearest(AnnotatedElement element) {
        return MergedAnnotations.from(
                        element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                .stream(RateLimit.class)
                .filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
                .map(MergedAnnotation::synthesize)
                .toList();
    }

    /** Whether a type has an annotation anywhere: cheap, since most have none, and remembered for each class. */
    boolean isPresentIn(@Nullable Class<?> type) {
        if (type == null || !AnnotationUtils.isCandidateClass(type, RateLimit.class)) {
            return false;
        }
        Boolean known = declaring.get(type);
        if (known == null) {
            known = declares(type) || isPresentIn(type.getSuperclass());
            for (Class<?> each : type.getInterfaces()) {
                known |= isPresentIn(each);
            }
            declaring.put(type, known);
        }
        return known;
    }

    private static boolean declares(Class<?> type) {
        if (hasOne(type)) {
            return true;
        }
        try {
            return Stream.of(type.getDeclaredMethods()).anyMatch(RateLimitAnnotations::hasOne);
        } catch (LinkageError e) {
            // A class that mentions another one that the application does not have: Spring cannot use it, either.
            return false;
        }
    }

    private static boolean hasOne(AnnotatedElement element) {
        return element.getDeclaredAnnotations().length > 0
                && MergedAnnotations.from(element, SearchStrategy.DIRECT, RepeatableContainers.standardRepeatables())
                        .isPresent(RateLimit.class);
    }
}
