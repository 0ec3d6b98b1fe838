package dev.sluice.spring.method;

import dev.sluice.spring.RateLimitedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.CoroutinesUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ReflectionUtils;

/** The method that is called in place of one over the limit. */
final class FallbackMethod {
    private final Method method;
    private final boolean takesException;

    private FallbackMethod(Method method, boolean takesException) {
        this.method = method;
        this.takesException = takesException;
    }

    /**
     * Finds the fallback of a method.
     *
     * @throws IllegalArgumentException if no method fits; the message says why
     */
    static FallbackMethod find(String name, Method limited, Class<?> type) {
        List<Method> named = Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type))
                .filter(each -> each.getName().equals(name))
                .filter(each -> !each.equals(limited) && !each.isBridge())
                .toList();
        if (named.isEmpty()) {
            throw new IllegalArgumentException("there is no other method '" + name + "' in " + type.getSimpleName());
        }
        Class<?>[] wanted = parameters(limited);
        for (Method each : named) {
            Class<?>[] given = parameters(each);
            boolean takesException = given.length == wanted.length + 1
                    && given[wanted.length].isAssignableFrom(RateLimitedException.class)
                    && Throwable.class.isAssignableFrom(given[wanted.length]);
            if (Arrays.equals(takesException ? Arrays.copyOf(given, wanted.length) : given, wanted)) {
                requireReturn(limited, each);
                ReflectionUtils.makeAccessible(each);
                return new FallbackMethod(each, takesException);
            }
        }
        String types = Stream.of(wanted).map(Class::getSimpleName).collect(Collectors.joining(", "));
        String more = (types.isEmpty() ? "" : types + ", ") + RateLimitedException.class.getSimpleName();
        throw new IllegalArgumentException("expected " + name + "(" + types + ") or " + name + "(" + more + "), found "
                + named.stream().map(RateLimitAnnotationParser::signature).collect(Collectors.joining(", ")));
    }

    /** The types of a method's parameters, without what Kotlin adds to those of a suspending function. */
    private static Class<?>[] parameters(Method method) {
        Class<?>[] types = method.getParameterTypes();
        return KotlinDetector.isSuspendingFunction(method) ? Arrays.copyOf(types, types.length - 1) : types;
    }

    private static void requireReturn(Method limited, Method fallback) {
        boolean suspending = KotlinDetector.isSuspendingFunction(limited);
        if (KotlinDetector.isSuspendingFunction(fallback) && !suspending) {
            throw new IllegalArgumentException("it is a suspending function, and the method it replaces is not");
        }
        if (!suspending && !limited.getReturnType().isAssignableFrom(fallback.getReturnType())) {
            throw new IllegalArgumentException("it returns "
                    + fallback.getReturnType().getSimpleName() + ", and the method it replaces returns "
                    + limited.getReturnType().getSimpleName());
        }
    }

    @Nullable
    Object call(MethodInvocation call, RateLimitedException why) throws Throwable {
        @Nullable Object[] arguments = call.getArguments();
        if (KotlinDetector.isSuspendingFunction(call.getMethod())) {
            arguments = Arrays.copyOf(arguments, arguments.length - 1);
        }
        if (takesException) {
            arguments = Arrays.copyOf(arguments, arguments.length + 1);
            arguments[arguments.length - 1] = why;
        }
        if (KotlinDetector.isSuspendingFunction(method)) {
            return CoroutinesUtils.invokeSuspendingFunction(method, Objects.requireNonNull(call.getThis()), arguments);
        }
        try {
            return method.invoke(call.getThis(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
