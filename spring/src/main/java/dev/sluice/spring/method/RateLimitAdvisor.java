package dev.sluice.spring.method;

import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Puts the limits around the methods of one bean. */
final class RateLimitAdvisor extends AbstractPointcutAdvisor {
    private static final long serialVersionUID = 1;

    private final transient Pointcut pointcut;
    private final transient MethodInterceptor interceptor;

    RateLimitAdvisor(LimitedMethods methods, Supplier<RateLimitExecutor> executor) {
        this.pointcut = new StaticMethodMatcherPointcut() {
            @Override
            public boolean matches(Method method, @Nullable Class<?> type) {
                return methods.isLimited(method);
            }
        };
        this.interceptor = call -> executor.get().execute(methods.of(call.getMethod()), call);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return interceptor;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
