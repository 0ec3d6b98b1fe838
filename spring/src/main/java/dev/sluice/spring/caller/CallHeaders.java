package dev.sluice.spring.caller;

import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.web.RateLimitAttributes;
import dev.sluice.spring.web.ShownVerdicts;
import dev.sluice.spring.web.WebRequestAdapter;
import dev.sluice.spring.web.servlet.ServletRequestAdapter;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

    /** The verdicts on calls of a thread that somebody else shows in the response; null if nobody does. */
    private static final ThreadLocal<@Nullable List<Verdict>> GATHERED = new ThreadLocal<>();

    private CallHeaders() {}

    /** Shows a verdict, if it allows the call, and if this thread handles a request whose response is not on its way. */
    public static void show(Verdict verdict) {
        if (verdict.allowed() && !verdict.decisions().isEmpty()) {
            List<Verdict> gathered = GATHERED.get();
            if (gathered != null) {
                gathered.add(verdict);
            } else if (SERVLETS) {
                Servlets.show(verdict);
            }
        }
    }

    /** Runs a task of an exchange, and gathers the verdicts on the calls that it makes on its thread. */
    public static void gather(Runnable task) {
        GATHERED.set(new ArrayList<>());
        try {
            task.run();
        } finally {
            GATHERED.remove();
        }
    }

    /** What the task that this thread runs has gathered so far. */
    static List<Verdict> gathered() {
        List<Verdict> gathered = GATHERED.get();
        return gathered == null ? List.of() : gathered;
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
            // Throws if it has ended.
            current.getAttribute(RateLimitAttributes.VERDICT, RequestAttributes.SCOPE_REQUEST);
            HttpServletResponse response = current.getResponse();
            if (response != null && !response.isCommitted()) {
                WebRequestAdapter request = new ServletRequestAdapter(current.getRequest());
                RateLimitHeaders.set(ShownVerdicts.add(request, verdict), response::setHeader);
            }
        }
    }
}
