package dev.sluice.spring.web.servlet;

import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.web.Refusals;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a request that ends with a {@link RateLimitedException} outside Spring MVC's handlers: in another filter or
 * servlet. For a filter ahead of this one the container dispatches the request once more, as an error, and this filter
 * answers that.
 */
final class RateLimitedExceptionFilter implements Filter {
    private final ServletRefusals refusals;

    RateLimitedExceptionFilter(ServletRefusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http && response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
            return;
        }
        RateLimitedException before = error(request);
        if (before != null && !response.isCommitted()) {
            refusals.refuseInstead(before.verdict(), http, answer);
            return;
        }
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException | Error e) {
            RateLimitedException denied = Refusals.find(e);
            if (response.isCommitted()) {
                AsyncFailure.brokenOff(request);
            }
            if (denied == null || response.isCommitted()) {
                throw e;
            }
            refusals.refuseInstead(denied.verdict(), http, answer);
        }
    }

    /** The denial that the container dispatches as an error; null if this is no such dispatch. */
    private static @Nullable RateLimitedException error(ServletRequest request) {
        return request.getDispatcherType() == DispatcherType.ERROR
                        && request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof Throwable failure
                ? Refusals.find(failure)
                : null;
    }
}
