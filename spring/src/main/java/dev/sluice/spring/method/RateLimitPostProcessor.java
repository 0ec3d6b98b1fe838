package dev.sluice.spring.method;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Puts the limits around beans with annotations. It parses all annotations while the application starts, also those of
 * beans that are created later, so that a wrong one keeps it from starting.
 *
 * <p>It runs after Spring's own auto-proxying, whose proxies it uses, and before the post-processors of schedules and
 * listeners, which call the bean that they are given. {@link AdvicePlacement} then moves the limits to their place among
 * the other advice.
 */
final class RateLimitPostProcessor extends ProxyProcessorSupport
        implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton {
    private static final long serialVersionUID = 1;

    private final transient ConfigurableListableBeanFactory beans;
    private final transient Supplier<RateLimitAnnotationParser> parser;
    private final transient Supplier<RateLimitExecutor> executor;
    private final transient RateLimitAnnotations annotations = new RateLimitAnnotations();
    private final transient Map<List<Class<?>>, LimitedMethods> known = new ConcurrentHashMap<>();

    RateLimitPostProcessor(
            ConfigurableListableBeanFactory beans,
            Supplier<RateLimitAnnotationParser> parser,
            Supplier<RateLimitExecutor> executor) {
        this.beans = beans;
        this.parser = parser;
        this.executor = executor;
        setOrder(Ordered.LOWEST_PRECEDENCE - 1);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return bean;
        }
        List<Class<?>> types = BeanTypes.of(bean);
        return types.stream().anyMatch(annotations::isPresentIn) ? limited(bean, beanName, methods(types)) : bean;
    }

    /** Lets an application that is processed ahead of time have the class of its proxy. */
    @Override
    public Class<?> determineBeanType(Class<?> beanClass, String beanName) {
        if (beanClass.isInterface()
                || SpringProxy.class.isAssignableFrom(beanClass)
                || !annotations.isPresentIn(beanClass)) {
            return beanClass;
        }
        ProxyFactory factory = new ProxyFactory();
        factory.setTargetClass(beanClass);
        factory.addAdvisor(new RateLimitAdvisor(new LimitedMethods(List.of(beanClass), parser), executor));
        return proxy(factory, beanClass, beanName, loader -> factory.getProxyClass(loader));
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.containsSingleton(name) ? null : beans.getType(name, false);
            if (type != null && annotations.isPresentIn(type)) {
                methods(List.of(ClassUtils.getUserClass(type)));
            }
        }
    }

    private LimitedMethods methods(List<Class<?>> types) {
        LimitedMethods found = known.get(types);
        if (found == null) {
            found = new LimitedMethods(types, parser);
            found.parseAll();
            known.put(types, found);
        }
        return found;
    }

    private Object limited(Object bean, String beanName, LimitedMethods methods) {
        RateLimitAdvisor advisor = new RateLimitAdvisor(methods, executor);
        if (bean instanceof Advised advised && !advised.isFrozen()) {
            advised.addAdvisor(0, advisor);
            return bean;
        }
        ProxyFactory factory = new ProxyFactory();
        factory.setTarget(bean);
        factory.addAdvisor(advisor);
        return proxy(factory, bean.getClass(), beanName, loader -> factory.getProxy(loader));
    }

    private <T> T proxy(ProxyFactory factory, Class<?> type, String beanName, Function<@Nullable ClassLoader, T> made) {
        factory.copyFrom(this);
        if (BeanTypes.isMadeFromInterfaces(type)) {
            factory.setInterfaces(type.getInterfaces());
        } else if (isProxyTargetClass() || AutoProxyUtils.shouldProxyTargetClass(beans, beanName)) {
            factory.setProxyTargetClass(true);
        } else {
            evaluateProxyInterfaces(type, factory);
        }
        try {
            return made.apply(getProxyClassLoader());
        } catch (AopConfigException e) {
            throw RateLimitAnnotationParser.wrong(
                    ClassUtils.getUserClass(type).getName(),
                    "",
                    "no proxy of the class can be made: " + reason(type, e));
        }
    }

    private static String reason(Class<?> type, AopConfigException failure) {
        if (Modifier.isFinal(type.getModifiers()) || type.isSealed()) {
            return "it is " + (type.isRecord() ? "a record" : type.isSealed() ? "sealed" : "final")
                    + "; make it a class that can be extended (in Kotlin: the plugin kotlin-spring does), or limit it "
                    + "through an interface with spring.aop.proxy-target-class=false";
        }
        return String.valueOf(failure.getMostSpecificCause().getMessage());
    }
}
