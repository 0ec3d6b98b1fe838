package dev.sluice.spring.web.servlet;

import dev.sluice.spring.WebRules;
import dev.sluice.spring.web.WebRequestAdapter;
import io.micrometer.observation.Observation;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.ServerHttpObservationFilter;

/** A servlet request. */
public record ServletRequestAdapter(HttpServletRequest request, HttpServletRequest original)
        implements WebRequestAdapter {
    /** What Spring wraps a request in that has headers such as X-Forwarded-For. */
    private static final String FORWARDED = "org.springframework.web.filter.ForwardedHeaderFilter$";

    public ServletRequestAdapter(HttpServletRequest request) {
        this(request, original(request));
    }

    /** The request without the changes of Spring's {@code ForwardedHeaderFilter}. */
    private static HttpServletRequest original(HttpServletRequest request) {
        HttpServletRequest original = request;
        ServletRequest each = request;
        while (each instanceof ServletRequestWrapper wrapper) {
            each = wrapper.getRequest();
            if (wrapper.getClass().getName().startsWith(FORWARDED) && each instanceof HttpServletRequest wrapped) {
                original = wrapped;
            }
        }
        return original;
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    /** Servers give the context path as the client wrote it; where one does not, its own reading of the path counts. */
    @Override
    public String path() {
        String uri = original.getRequestURI();
        String context = original.getContextPath();
        if (context.isEmpty()) {
            return uri;
        }
        if (uri.startsWith(context)) {
            String path = uri.substring(context.length());
            return path.isEmpty() ? "/" : path;
        }
        String info = original.getPathInfo();
        return original.getServletPath() + (info == null ? "" : info);
    }

    @Override
    public @Nullable String host() {
        return request.getServerName();
    }

    @Override
    public Connection connection(WebRules rules) {
        List<String> forwardedFor = rules.trustedProxies().networks().isEmpty()
                ? List.of()
                : Collections.list(original.getHeaders("X-Forwarded-For"));
        return new Connection(
                original.getRemoteAddr(), forwardedFor, rules.needsHost() ? original.getServerName() : null);
    }

    /** Spring Security wraps the request, so this is the user it has authenticated; null for an anonymous one. */
    @Override
    public @Nullable Principal principal() {
        return request.getUserPrincipal();
    }

    @Override
    public Observation.@Nullable Context observation() {
        return ServerHttpObservationFilter.findObservationContext(request).orElse(null);
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
