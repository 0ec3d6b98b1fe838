package dev.sluice.spring.caller;

import dev.sluice.rules.Request;
import dev.sluice.spring.WebRules;
import dev.sluice.spring.web.WebRequestAdapter;
import dev.sluice.spring.web.reactive.ExchangeAdapter;
import dev.sluice.spring.web.servlet.ServletRequestAdapter;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.server.ServerWebExchange;

/**
 * The web request and the user on whose behalf a method is called.
 *
 * @param request the current {@code HttpServletRequest} or {@code ServerWebExchange}; null if there is none
 * @param principal the current user; null if there is none
 */
public record CallerContext(
        @Nullable Object request, @Nullable Principal principal) {
    public static final CallerContext NONE = new CallerContext(null, null);

    private static final boolean SERVLETS = isPresent("jakarta.servlet.http.HttpServletRequest")
            && isPresent("org.springframework.web.context.request.RequestContextHolder");
    private static final boolean SECURITY =
            isPresent("org.springframework.security.core.context.SecurityContextHolder");

    /** The context of the current thread. */
    public static CallerContext current() {
        Object request = currentRequest();
        Principal principal = SECURITY ? Security.principal(SecurityContextHolder.getContext()) : null;
        if (principal == null && request != null) {
            principal = ((HttpServletRequest) request).getUserPrincipal();
        }
        return request == null && principal == null ? NONE : new CallerContext(request, principal);
    }

    /** The web request of the current thread; null if there is none. */
    private static @Nullable Object currentRequest() {
        return SERVLETS ? Servlets.request() : null;
    }

    /** The request's attributes for rules; none if there is no request. */
    public Request.Builder attributes(WebRules rules) {
        if (request == null) {
            return Request.builder();
        }
        return adapter(request, principal).attributes(rules);
    }

    /** The client's address, past the trusted proxies; null if there is no request. */
    public @Nullable String ip(WebRules rules) {
        return request == null ? null : adapter(request, principal).ip(rules);
    }

    /** The web request of the current thread, for whoever observes it; null if there is none. */
    public static @Nullable WebRequestAdapter currentAdapter() {
        Object request = currentRequest();
        return request == null ? null : adapter(request, null);
    }

    static WebRequestAdapter adapter(Object request, @Nullable Principal principal) {
        return SERVLETS && Servlets.isRequest(request)
                ? Servlets.adapter(request)
                : new ExchangeAdapter((ServerWebExchange) request, principal);
    }

    private static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, CallerContext.class.getClassLoader());
    }

    /** Loaded only where the application has servlets. */
    private static final class Servlets {
        static @Nullable Object request() {
            return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                    ? attributes.getRequest()
                    : null;
        }

        static boolean isRequest(Object request) {
            return request instanceof HttpServletRequest;
        }

        static WebRequestAdapter adapter(Object request) {
            return new ServletRequestAdapter((HttpServletRequest) request);
        }
    }

    /** Loaded only where the application has Spring Security. */
    static final class Security {
        private Security() {}

        /** The authenticated user; null for an anonymous one. */
        static @Nullable Principal principal(SecurityContext context) {
            Authentication authentication = context.getAuthentication();
            return authentication instanceof AnonymousAuthenticationToken ? null : authentication;
        }
    }
}
