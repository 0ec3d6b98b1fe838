package dev.sluice.spring.web.servlet;

import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.web.ExceptionHandlers;
import dev.sluice.spring.web.Refusals;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Refuses a request whose handler in Spring MVC ended with a {@link RateLimitedException}, or with one that it caused.
 *
 * <p>It comes before the application's own handlers, since most applications have one for every exception. It gives way if
 * the one that Spring would choose is for {@link RateLimitedException}.
 */
final class RateLimitedExceptionResolver implements HandlerExceptionResolver, Ordered {
    private final ServletRefusals refusals;
    private final ExceptionHandlers handlers;
    private final ObjectProvider<HandlerExceptionResolver> springs;

    /** @param springs the resolver that calls the application's handlers */
    RateLimitedExceptionResolver(
            ServletRefusals refusals, ExceptionHandlers handlers, ObjectProvider<HandlerExceptionResolver> springs) {
        this.refusals = refusals;
        this.handlers = handlers;
        this.springs = springs;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 1;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        RateLimitedException denied = Refusals.find(failure);
        if (denied == null || response.isCommitted()) {
            return null;
        }
        Class<?> controller = handler instanceof HandlerMethod method ? method.getBeanType() : Object.class;
        if (handlers.isNamed(controller)) {
            HandlerExceptionResolver next = denied == failure ? null : springs.getIfAvailable();
            return next == null ? null : next.resolveException(request, response, handler, denied);
        }
        try {
            refusals.refuseInstead(denied.verdict(), request, response);
            return new ModelAndView();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
