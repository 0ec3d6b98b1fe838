package dev.sluice.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Those of a servlet's request. */
record ServletAttributes(HttpServletRequest request) implements WebAttributes {
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

    /** Spring Security wraps the request, so that this is who it says; one who is anonymous is nobody. */
    @Override
    public @Nullable String user() {
        Principal principal = request.getUserPrincipal();
        return principal == null ? null : principal.getName();
    }

    @Override
    public List<String> headers(String name) {
        return Collections.list(request.getHeaders(name));
    }
}
