package dev.sluice.spring.web;

import dev.sluice.rules.Request;
import dev.sluice.spring.WebRules;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Who is calling.
 *
 * @param request the {@code HttpServletRequest} or {@code ServerWebExchange} under way; null if there is none
 * @param principal the current user; null if there is none
 */
public record Caller(@Nullable Object request, @Nullable Principal principal) {
    public static final Caller NOBODY = new Caller(null, null);

    private static final boolean SERVLETS = isPresent("jakarta.servlet.http.HttpServletRequest")
            && isPresent("org.springframework.web.context.request.RequestContextHolder");
    private static final boolean SECURITY =
            isPresent("org.springframework.security.core.context.SecurityContextHolder");

    /** The caller of the current thread. */
    public static Caller current() {
        Object request = SERVLETS ? ServletCaller.request() : null;
        Principal principal = SECURITY ? SecurityCaller.principal() : null;
        if (principal == null && request != null) {
            principal = ServletCaller.principal(request);
        }
        return request == null && principal == null ? NOBODY : new Caller(request, principal);
    }

    /** What rules get to know of the request; nothing if there is none. */
    public Request.Builder attributes(WebRules rules) {
        if (request == null) {
            return Request.builder();
        }
        String user = principal == null ? null : principal.getName();
        return SERVLETS && ServletCaller.isRequest(request)
                ? ServletCaller.attributes(request).request(rules)
                : new ExchangeAttributes(ExchangeAttributes.exchange(request), user).request(rules);
    }

    private static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, Caller.class.getClassLoader());
    }
}
