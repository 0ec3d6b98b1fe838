package dev.sluice.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A servlet request. */
record ServletRequestAdapter(HttpServletRequest request) implements WebRequestAdapter {
    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        return request.getRequestURI();
    }

    @Override
    public @Nullable String host() {
        return request.getServerName();
    }

    @Override
    public String peer() {
        return request.getRemoteAddr();
    }

    /** Spring Security wraps the request, so this is the user it has authenticated; null for an anonymous one. */
    @Override
    public @Nullable String user() {
        Principal principal = request.getUserPrincipal();
        return principal == null ? null : principal.getName();
    }

    @Override
    public List<String> headers(String name) {
        return Collections.list(request.getHeaders(name));
    }

    @Override
    public @Nullable Object attribute(String name) {
        return request.getAttribute(name);
    }

    @Override
    public void attribute(String name, Object value) {
        request.setAttribute(name, value);
    }
}
