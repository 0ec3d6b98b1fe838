package dev.sluice.spring.method;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimits;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Puts the limits around beans with annotations, outside all other advice. It parses every annotation when the bean is
 * created, so that a wrong one keeps the application from starting.
 */
final class RateLimitPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
    private static final long serialVersionUID = 1;

    private final transient Supplier<RateLimitAnnotationParser> parser;
    private final transient Supplier<RateLimitExecutor> executor;
    private final transient Map<MethodClassKey, RateLimitedMethod> known = new ConcurrentHashMap<>();

    RateLimitPostProcessor(Supplier<RateLimitAnnotationParser> parser, Supplier<RateLimitExecutor> executor) {
        this.parser = parser;
        this.executor = executor;
        setBeforeExistingAdvisors(true);
        this.advisor = new DefaultPointcutAdvisor(new Annotated(), (MethodInterceptor) this::intercept);
    }

    private @Nullable Object intercept(MethodInvocation call) throws Throwable {
        Object target = call.getThis();
        Class<?> type = target == null ? call.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        RateLimitedMethod method = limited(call.getMethod(), type);
        return method.operations().isEmpty() ? call.proceed() : executor.get().execute(method, call);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (AnnotationUtils.isCandidateClass(type, List.of(RateLimit.class, RateLimits.class))) {
            ReflectionUtils.doWithMethods(type, method -> prepare(method, type), ReflectionUtils.USER_DECLARED_METHODS);
        }
        return super.postProcessAfterInitialization(bean, beanName);
    }

    private void prepare(Method method, Class<?> type) {
        List<RateLimit> own = own(method);
        if (own.isEmpty() && !isLimited(method, type)) {
            return;
        }
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw RateLimitAnnotationParser.wrong(
                    type.getSimpleName() + "." + RateLimitAnnotationParser.signature(method),
                    "",
                    "a method that is private, static or final cannot be limited, since it cannot be overridden");
        }
        limited(method, type);
    }

    /** The limits of a method, parsed at the first use. */
    private RateLimitedMethod limited(Method method, Class<?> type) {
        MethodClassKey key = new MethodClassKey(method, type);
        RateLimitedMethod found = known.get(key);
        if (found == null) {
            Method specific = AopUtils.getMostSpecificMethod(method, type);
            found = isLimited(specific, type)
                    ? parser.get().parse(specific, type, own(specific), ofClass(specific, type))
                    : RateLimitedMethod.UNLIMITED;
            known.put(key, found);
        }
        return found;
    }

    private static boolean isLimited(Method method, Class<?> type) {
        return !own(method).isEmpty() || !ofClass(method, type).isEmpty();
    }

    private static List<RateLimit> own(Method method) {
        return List.copyOf(
                AnnotatedElementUtils.findMergedRepeatableAnnotations(method, RateLimit.class, RateLimits.class));
    }

    private static List<RateLimit> ofClass(Method method, Class<?> type) {
        boolean counts = Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && method.getDeclaringClass() != Object.class;
        return counts
                ? List.copyOf(
                        AnnotatedElementUtils.findMergedRepeatableAnnotations(type, RateLimit.class, RateLimits.class))
                : List.of();
    }

    /** Matches methods with the annotation, and those of classes with it. */
    private static final class Annotated extends StaticMethodMatcherPointcut {
        Annotated() {
            setClassFilter(type -> AnnotationUtils.isCandidateClass(type, List.of(RateLimit.class, RateLimits.class)));
        }

        @Override
        public boolean matches(Method method, @Nullable Class<?> type) {
            Class<?> target = type == null ? method.getDeclaringClass() : type;
            return isLimited(AopUtils.getMostSpecificMethod(method, target), target);
        }
    }
}
