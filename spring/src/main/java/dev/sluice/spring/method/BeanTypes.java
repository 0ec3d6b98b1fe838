package dev.sluice.spring.method;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * The types whose annotations count for a bean.
 *
 * <p>That is its class. A bean that was made from interfaces, such as a client or a repository, has no class that anybody
 * wrote, or one that implements less than the bean offers: there the interfaces count, too.
 */
final class BeanTypes {
    private BeanTypes() {}

    static List<Class<?>> of(Object bean) {
        Class<?> target = AopUtils.getTargetClass(bean);
        if (!isMadeFromInterfaces(bean.getClass()) && !isMadeFromInterfaces(target)) {
            return List.of(target);
        }
        List<Class<?>> types = new ArrayList<>();
        if (!isMadeFromInterfaces(target)) {
            types.add(target);
        }
        for (Class<?> each : bean.getClass().getInterfaces()) {
            if (types.isEmpty() || !each.isAssignableFrom(types.get(0))) {
                types.add(each);
            }
        }
        return types;
    }

    /** Whether a class is a proxy of interfaces or a lambda, and so has neither a name nor methods of its own. */
    static boolean isMadeFromInterfaces(Class<?> type) {
        return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
    }
}
