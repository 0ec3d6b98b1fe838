package dev.sluice.spring.web.servlet;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Failures of an asynchronous request that its listeners are never told of.
 *
 * <p>One is in the dispatch that started the asynchronous part, after it had started. That happens when an emitter has
 * something to send at once and the client is gone. Spring handles the exception, the container closes the connection, and
 * neither ends the asynchronous part.
 *
 * <p>The other is in a later dispatch, when a part of the response has left: a stream that breaks off, or an emitter that is
 * completed with an error. Jetty closes the connection then, and tells neither of an error nor of the end.
 */
public final class AsyncFailure {
    /** Where Spring's dispatcher leaves an exception that it has handled. */
    private static final String HANDLED = "org.springframework.web.servlet.DispatcherServlet.EXCEPTION";

    private static final String ENDS = AsyncFailure.class.getName();

    private AsyncFailure() {}

    /** Whether the dispatch of a request failed with an exception that Spring has handled. */
    public static boolean isIn(HttpServletRequest request) {
        return request.getAttribute(HANDLED) != null;
    }

    /** Runs {@code end} if a dispatch of the request throws after a part of the response has left. */
    @SuppressWarnings("unchecked") // only this sets it
    public static void whenBrokenOff(ServletRequest request, Runnable end) {
        List<Runnable> ends = (List<Runnable>) request.getAttribute(ENDS);
        if (ends == null) {
            ends = new ArrayList<>();
            request.setAttribute(ENDS, ends);
        }
        ends.add(end);
    }

    /** A dispatch of the request has thrown after a part of the response has left. */
    static void brokenOff(ServletRequest request) {
        if (request.getAttribute(ENDS) instanceof List<?> ends) {
            ends.forEach(end -> ((Runnable) end).run());
        }
    }
}
