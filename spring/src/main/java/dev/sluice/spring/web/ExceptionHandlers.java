package dev.sluice.spring.web;

import dev.sluice.spring.RateLimitedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.OrderComparator;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * The application's methods with {@code @ExceptionHandler}, and which of them Spring chooses for a
 * {@link RateLimitedException}: one of the controller itself, else one of the first advice that has one for it or for a
 * class above it.
 */
public final class ExceptionHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(ExceptionHandlers.class);

    private record Advice(ControllerAdviceBean bean, ExceptionHandlerMappingInfo handler) {}

    private final ListableBeanFactory beans;
    private final Class<?> own;
    private final SingletonSupplier<List<Advice>> advices = SingletonSupplier.of(this::find);
    private final Map<Class<?>, Boolean> named = new ConcurrentHashMap<>();

    /** @param own the class that asks, which is not one of the application's */
    public ExceptionHandlers(ListableBeanFactory beans, Class<?> own) {
        this.beans = beans;
        this.own = own;
    }

    /**
     * Whether the handler that Spring chooses is for {@link RateLimitedException} itself.
     *
     * @param controller the class of the controller; {@code Object} for routes
     */
    public boolean isNamed(Class<?> controller) {
        return named.computeIfAbsent(controller, type -> {
            ExceptionHandlerMappingInfo own = handler(type);
            if (own != null) {
                return isFor(own);
            }
            return advices.obtain().stream()
                    .filter(advice -> advice.bean.isApplicableToBeanType(type))
                    .findFirst()
                    .map(advice -> isFor(advice.handler))
                    .orElse(false);
        });
    }

    /**
     * The order for an advice that comes before the application's handlers for any exception, but not before those for
     * {@link RateLimitedException}.
     */
    public int orderBeforeCatchAll() {
        int order = Ordered.HIGHEST_PRECEDENCE;
        for (Advice advice : advices.obtain()) {
            if (!isFor(advice.handler)) {
                break;
            }
            order = advice.bean.getOrder();
        }
        return order;
    }

    /** The advice that has a handler for a {@link RateLimitedException} or a class above it, in Spring's order. */
    private List<Advice> find() {
        List<ControllerAdviceBean> sorted = new ArrayList<>();
        for (String name : beans.getBeanNamesForAnnotation(ControllerAdvice.class)) {
            Class<?> type = beans.getType(name);
            ControllerAdvice annotation = beans.findAnnotationOnBean(name, ControllerAdvice.class);
            if (annotation != null && type != null && type != own) {
                sorted.add(new ControllerAdviceBean(name, beans, annotation));
            }
        }
        OrderComparator.sort(sorted);
        List<Advice> found = new ArrayList<>();
        for (ControllerAdviceBean bean : sorted) {
            Class<?> type = bean.getBeanType();
            ExceptionHandlerMappingInfo handler = type == null ? null : handler(type);
            if (handler != null) {
                warnIfUnreachable(handler, found);
                found.add(new Advice(bean, handler));
            }
        }
        return found;
    }

    private static void warnIfUnreachable(ExceptionHandlerMappingInfo handler, List<Advice> before) {
        if (isFor(handler)) {
            before.stream()
                    .filter(advice -> !isFor(advice.handler))
                    .findFirst()
                    .ifPresent(advice -> LOG.warn(
                            "{} is never called where {} applies, because Spring asks that first: give {} an earlier @Order",
                            handler.getHandlerMethod(),
                            advice.handler.getHandlerMethod(),
                            handler.getHandlerMethod().getDeclaringClass().getName()));
        }
    }

    private static @Nullable ExceptionHandlerMappingInfo handler(Class<?> type) {
        return new ExceptionHandlerMethodResolver(type)
                .resolveExceptionMappingByExceptionType(RateLimitedException.class, MediaType.ALL);
    }

    private static boolean isFor(ExceptionHandlerMappingInfo handler) {
        return handler.getExceptionTypes().contains(RateLimitedException.class);
    }
}
