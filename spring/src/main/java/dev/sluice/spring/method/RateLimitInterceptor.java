package dev.sluice.spring.method;

import java.lang.reflect.Method;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Asks before a method runs. */
final class RateLimitInterceptor implements MethodInterceptor {
    private final BiFunction<Method, Class<?>, LimitedMethod> methods;
    private final Supplier<Gatekeeper> gatekeeper;

    RateLimitInterceptor(BiFunction<Method, Class<?>, LimitedMethod> methods, Supplier<Gatekeeper> gatekeeper) {
        this.methods = methods;
        this.gatekeeper = gatekeeper;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object target = call.getThis();
        Class<?> type = target == null ? call.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LimitedMethod method = methods.apply(call.getMethod(), type);
        if (method.calls().isEmpty()) {
            return call.proceed();
        }
        Gatekeeper keeper = gatekeeper.get();
        return switch (method.answer()) {
            case AT_ONCE -> keeper.now(method, call);
            case FUTURE -> keeper.future(method, call);
            case MONO -> ReactorGate.mono(keeper, method, call);
            case FLUX -> ReactorGate.flux(keeper, method, call);
        };
    }
}
