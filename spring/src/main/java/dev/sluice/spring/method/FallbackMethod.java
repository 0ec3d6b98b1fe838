package dev.sluice.spring.method;

import dev.sluice.spring.RateLimitedException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
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
        Class<?>[] wanted = SuspendingFunction.parameters(limited);
        for (Method each : named) {
            Class<?>[] given = SuspendingFunction.parameters(each);
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

    private static void requireReturn(Method limited, Method fallback) {
        boolean suspending = SuspendingFunction.is(limited);
        if (SuspendingFunction.is(fallback) && !suspending) {
            throw new IllegalArgumentException("it is a suspending function, and the method it replaces is not");
        }
        Class<?> wanted = SuspendingFunction.returnedClass(limited);
        Class<?> given = SuspendingFunction.returnedClass(fallback);
        boolean fits = suspending
                ? ClassUtils.isAssignable(wanted, given) || (isUnit(wanted) && given == void.class)
                : limited.getReturnType().isAssignableFrom(fallback.getReturnType());
        if (!fits && !isNothing(fallback)) {
            throw new IllegalArgumentException("it returns " + given.getSimpleName()
                    + ", and the method it replaces returns " + wanted.getSimpleName());
        }
    }

    /** Whether it is a function of Kotlin that returns {@code Nothing}, and so always throws. */
    private static boolean isNothing(Method method) {
        return method.getReturnType() == Void.class && KotlinDetector.isKotlinType(method.getDeclaringClass());
    }

    private static boolean isUnit(Class<?> type) {
        return type.getName().equals("kotlin.Unit");
    }

    @Nullable
    Object call(MethodInvocation call, RateLimitedException why) throws Throwable {
        List<@Nullable Object> arguments = new ArrayList<>(Arrays.asList(call.getArguments()));
        boolean suspending = SuspendingFunction.is(call.getMethod());
        Object continuation = suspending ? arguments.remove(arguments.size() - 1) : null;
        if (takesException) {
            arguments.add(why);
        }
        if (SuspendingFunction.is(method)) {
            arguments.add(continuation);
        }
        // A suspending fallback runs in the coroutine context of the call, which the continuation has.
        return AopUtils.invokeJoinpointUsingReflection(call.getThis(), method, arguments.toArray());
    }
}
