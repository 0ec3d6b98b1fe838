package dev.sluice.spring.web.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A request whose asynchronous part settles its charge before it completes. Jetty sends the response first, and tells
 * listeners afterwards.
 */
final class SettlingRequestWrapper extends HttpServletRequestWrapper {
    private final SettlingResponseWrapper settling;

    SettlingRequestWrapper(HttpServletRequest request, SettlingResponseWrapper settling) {
        super(request);
        this.settling = settling;
        settling.isFor(this);
    }

    @Override
    public AsyncContext startAsync() {
        return new Async(super.startAsync(), settling);
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return new Async(super.startAsync(request, response), settling);
    }

    /** Null where the request has none: a container throws then, and the requests of {@code MockMvc} return null. */
    @Override
    public @Nullable AsyncContext getAsyncContext() {
        @Nullable AsyncContext context = super.getAsyncContext();
        return context == null ? null : new Async(context, settling);
    }

    private record Async(AsyncContext context, SettlingResponseWrapper settling) implements AsyncContext {
        @Override
        public void complete() {
            settling.settle();
            context.complete();
        }

        /** What the application writes settles the charge, too. */
        @Override
        public ServletResponse getResponse() {
            return context.hasOriginalRequestAndResponse() ? settling : context.getResponse();
        }

        @Override
        public ServletRequest getRequest() {
            return context.getRequest();
        }

        @Override
        public boolean hasOriginalRequestAndResponse() {
            return context.hasOriginalRequestAndResponse();
        }

        @Override
        public void dispatch() {
            context.dispatch();
        }

        @Override
        public void dispatch(String path) {
            context.dispatch(path);
        }

        @Override
        public void dispatch(ServletContext target, String path) {
            context.dispatch(target, path);
        }

        @Override
        public void start(Runnable task) {
            context.start(task);
        }

        @Override
        public void addListener(AsyncListener listener) {
            context.addListener(new Listener(listener, settling));
        }

        @Override
        public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
            context.addListener(new Listener(listener, settling), request, response);
        }

        @Override
        public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
            return context.createListener(type);
        }

        @Override
        public void setTimeout(long millis) {
            context.setTimeout(millis);
        }

        @Override
        public long getTimeout() {
            return context.getTimeout();
        }
    }

    /** A listener that gets the same context as the application: it may complete the response after a timeout. */
    private record Listener(AsyncListener listener, SettlingResponseWrapper settling) implements AsyncListener {
        private AsyncEvent settling(AsyncEvent event) {
            return new AsyncEvent(
                    new Async(event.getAsyncContext(), settling),
                    event.getSuppliedRequest(),
                    event.getSuppliedResponse(),
                    event.getThrowable());
        }

        @Override
        public void onComplete(AsyncEvent event) throws IOException {
            listener.onComplete(settling(event));
        }

        @Override
        public void onTimeout(AsyncEvent event) throws IOException {
            listener.onTimeout(settling(event));
        }

        @Override
        public void onError(AsyncEvent event) throws IOException {
            listener.onError(settling(event));
        }

        @Override
        public void onStartAsync(AsyncEvent event) throws IOException {
            listener.onStartAsync(settling(event));
        }
    }
}
