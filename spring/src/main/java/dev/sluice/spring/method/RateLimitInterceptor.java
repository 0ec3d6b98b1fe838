package dev.sluice.spring.method;

import java.lang.reflect.Method;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Checks the limits of a method before it runs. */
final class RateLimitInterceptor implements MethodInterceptor {
    private final BiFunction<Method, Class<?>, RateLimitedMethod> methods;
    private final Supplier<RateLimitExecutor> executor;

    RateLimitInterceptor(
            BiFunction<Method, Class<?>, RateLimitedMethod> methods, Supplier<RateLimitExecutor> executor) {
        this.methods = methods;
        this.executor = executor;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object target = call.getThis();
        Class<?> type = target == null ? call.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        RateLimitedMethod method = methods.apply(call.getMethod(), type);
        if (method.operations().isEmpty()) {
            return call.proceed();
        }
        RateLimitExecutor limits = executor.get();
        return switch (method.returns()) {
            case VALUE -> limits.executeBlocking(method, call);
            case FUTURE -> limits.executeAsync(method, call);
            case MONO -> ReactiveRateLimitExecutor.mono(limits, method, call);
            case FLUX -> ReactiveRateLimitExecutor.flux(limits, method, call);
        };
    }
}
