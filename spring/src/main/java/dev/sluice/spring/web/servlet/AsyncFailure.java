package dev.sluice.spring.web.servlet;

import jakarta.servlet.http.HttpServletRequest;

/**
 * A failure in the dispatch that started the asynchronous part of a request, after it had started.
 *
 * <p>That happens when an emitter has something to send at once and the client is gone. Spring handles the exception, the
 * container closes the connection, and neither ends the asynchronous part: its listeners are never told.
 */
public final class AsyncFailure {
    /** Where Spring's dispatcher leaves an exception that it has handled. */
    private static final String HANDLED = "org.springframework.web.servlet.DispatcherServlet.EXCEPTION";

    private AsyncFailure() {}

    /** Whether the dispatch of a request failed with an exception that Spring has handled. */
    public static boolean isIn(HttpServletRequest request) {
        return request.getAttribute(HANDLED) != null;
    }
}
