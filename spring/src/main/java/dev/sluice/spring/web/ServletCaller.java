package dev.sluice.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The servlet's request of the current thread. Apart, since not every application has servlets. */
final class ServletCaller {
    private ServletCaller() {}

    static @Nullable Object request() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? attributes.getRequest()
                : null;
    }

    static boolean isRequest(Object request) {
        return request instanceof HttpServletRequest;
    }

    static @Nullable Principal principal(Object request) {
        return ((HttpServletRequest) request).getUserPrincipal();
    }

    static WebAttributes attributes(Object request) {
        return new ServletAttributes((HttpServletRequest) request);
    }
}
