package dev.sluice.spring.web.servlet;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.web.Refusal;
import dev.sluice.spring.web.RefusalCustomizer;
import dev.sluice.spring.web.Refusals;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;

/** Answers denied servlet requests. */
final class ServletRefusals {
    private final Refusals refusals;

    ServletRefusals(ObjectProvider<RefusalCustomizer> customizers) {
        this.refusals = new Refusals(customizers);
    }

    /** Refuses a request that nothing has been written for yet. */
    void refuse(Verdict verdict, HttpServletRequest request, HttpServletResponse response) throws IOException {
        Refusal refusal = refusals.of(verdict, new ServletRequestAdapter(request), null);
        byte[] content = Refusals.content(refusal);
        response.setStatus(refusal.status());
        refusal.headers().forEach(response::setHeader);
        if (content != null) {
            response.setContentLength(content.length);
            response.getOutputStream().write(content);
        }
    }

    /** Refuses a request in place of what was written for it, except header fields that do not belong to the content. */
    void refuseInstead(Verdict verdict, HttpServletRequest request, HttpServletResponse response) throws IOException {
        Map<String, Collection<String>> kept = new LinkedHashMap<>();
        for (String name : response.getHeaderNames()) {
            if (!name.toLowerCase(Locale.ROOT).startsWith("content-")) {
                kept.put(name, List.copyOf(response.getHeaders(name)));
            }
        }
        response.reset();
        kept.forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
        refuse(verdict, request, response);
        if (request.isAsyncStarted()) {
            request.getAsyncContext().complete();
        }
    }
}
