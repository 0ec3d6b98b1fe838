package dev.sluice.spring.method;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;

/**
 * What Kotlin makes of a suspending function: a method that returns {@code Object} and takes a {@code Continuation} as its
 * last parameter, whose type argument is what the function returns.
 */
final class SuspendingFunction {
    private SuspendingFunction() {}

    static boolean is(Method method) {
        return KotlinDetector.isSuspendingFunction(method);
    }

    /** The types of a method's parameters as they are written, without the continuation of a suspending function. */
    static Class<?>[] parameters(Method method) {
        Class<?>[] types = method.getParameterTypes();
        return is(method) ? Arrays.copyOf(types, types.length - 1) : types;
    }

    /** What a method returns as it is written; null for a suspending function that returns {@code Nothing}. */
    static @Nullable ResolvableType returns(Method method) {
        if (!is(method)) {
            return ResolvableType.forMethodReturnType(method);
        }
        ResolvableType continuation = ResolvableType.forMethodParameter(method, method.getParameterCount() - 1);
        ResolvableType argument = continuation.getGeneric(0);
        if (!(argument.getType() instanceof WildcardType wildcard)) {
            return argument;
        }
        // ? super X, or ? for Nothing.
        Type[] bounds = wildcard.getLowerBounds();
        return bounds.length == 0 ? null : ResolvableType.forType(bounds[0], continuation);
    }

    /** The class of what a method returns; {@code Object} if it cannot be known. */
    static Class<?> returnedClass(Method method) {
        ResolvableType type = returns(method);
        return type == null ? Object.class : type.resolve(Object.class);
    }
}
