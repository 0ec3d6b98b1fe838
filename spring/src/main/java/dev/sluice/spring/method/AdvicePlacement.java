package dev.sluice.spring.method;

import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;

/**
 * Moves the limits to their place among the other advice of a bean, once all of it is there: it has no order, and so runs
 * after the post-processors that have one.
 *
 * <p>By default that is right inside the advice of Spring Security and of caches, and outside of all other: whoever may not
 * call a method, and whoever is answered from a cache, is not charged; whoever is denied costs no transaction, no thread
 * and no retries. No {@code int} says that, because Spring gives caches and transactions the same order.
 */
final class AdvicePlacement implements BeanPostProcessor {
    private final Supplier<OptionalInt> order;

    /** {@code order}: the order to go by among the others, in place of the default. */
    AdvicePlacement(Supplier<OptionalInt> order) {
        this.order = order;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof Advised advised && !advised.isFrozen()) {
            Stream.of(advised.getAdvisors())
                    .filter(RateLimitAdvisor.class::isInstance)
                    .map(RateLimitAdvisor.class::cast)
                    .forEach(own -> place(advised, own));
        }
        return bean;
    }

    private void place(Advised advised, RateLimitAdvisor own) {
        advised.removeAdvisor(own);
        order.get().ifPresent(own::setOrder);
        Advisor[] others = advised.getAdvisors();
        advised.addAdvisor(order.get().isPresent() ? byOrder(others, own) : byDefault(others), own);
    }

    private static int byOrder(Advisor[] others, RateLimitAdvisor own) {
        int place = 0;
        while (place < others.length && AnnotationAwareOrderComparator.INSTANCE.compare(others[place], own) < 0) {
            place++;
        }
        return place;
    }

    private static int byDefault(Advisor[] others) {
        for (int place = others.length; place > 0; place--) {
            if (isSecurityOrCache(others[place - 1])) {
                return place;
            }
        }
        return 0;
    }

    private static boolean isSecurityOrCache(Advisor advisor) {
        Object known = advisor instanceof DefaultPointcutAdvisor ? advisor.getAdvice() : advisor;
        for (Class<?> type = known.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().startsWith("org.springframework.security.")
                    || type.getName().startsWith("org.springframework.cache.")) {
                return true;
            }
        }
        return false;
    }
}
