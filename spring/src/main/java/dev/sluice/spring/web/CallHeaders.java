package dev.sluice.spring.web;

import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Verdict;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Shows the limits of an allowed call in the response to the current servlet request, beside those of the request and of
 * calls before.
 */
public final class CallHeaders {
    private static final boolean SERVLETS = isPresent("jakarta.servlet.http.HttpServletRequest")
            && isPresent("org.springframework.web.context.request.RequestContextHolder");

    private CallHeaders() {}

    /** Shows a verdict, if it allows the call, and if this thread handles a request whose response is not on its way. */
    public static void show(Verdict verdict) {
        if (SERVLETS && verdict.allowed() && !verdict.decisions().isEmpty()) {
            Servlets.show(verdict);
        }
    }

    private static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, CallHeaders.class.getClassLoader());
    }

    /** Loaded only where the application has servlets. */
    private static final class Servlets {
        static void show(Verdict verdict) {
            if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current) {
                try {
                    show(verdict, current);
                } catch (IllegalStateException over) {
                    // The request has ended: some applications hand its attributes to threads that outlive it.
                    return;
                }
            }
        }

        private static void show(Verdict verdict, ServletRequestAttributes current) {
            current.getAttribute(RateLimitAttributes.SHOWN, RequestAttributes.SCOPE_REQUEST); // throws if it has ended
            HttpServletResponse response = current.getResponse();
            if (response != null && !response.isCommitted()) {
                WebRequestAdapter request = new ServletRequestAdapter(current.getRequest());
                Verdict all = Refusals.shown(request, verdict);
                request.attribute(RateLimitAttributes.SHOWN, all);
                RateLimitHeaders.set(all, response::setHeader);
            }
        }
    }
}
