package dev.sluice.spring.method;

import dev.sluice.spring.web.servlet.AsyncFailure;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Tells when the response of a servlet request is complete, for handler methods that return something to be worked on
 * later. Completion, a timeout, an error and a client that is gone all end it.
 */
final class ResponseEnd {
    private static final boolean SERVLETS = isPresent("jakarta.servlet.http.HttpServletRequest")
            && isPresent("org.springframework.web.context.request.async.WebAsyncManager");

    private ResponseEnd() {}

    private static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, ResponseEnd.class.getClassLoader());
    }

    /**
     * Runs {@code end} when the response is complete.
     *
     * @return whether it will: not if the result of the handler method needs no further work, or there is no request
     */
    static boolean await(@Nullable Object result, Runnable end) {
        return SERVLETS && result != null && Servlets.await(result, end);
    }

    /** Loaded only where the application has servlets. */
    private static final class Servlets {
        static boolean await(Object result, Runnable end) {
            Object body = result instanceof HttpEntity<?> entity ? entity.getBody() : result;
            if (body == null
                    || !isWorkedOnLater(body)
                    || !(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes request)) {
                return false;
            }
            WebAsyncManager async = WebAsyncUtils.getAsyncManager(request.getRequest());
            async.registerCallableInterceptor(end, new CallableProcessingInterceptor() {
                @Override
                public <T> void afterCompletion(NativeWebRequest web, Callable<T> task) {
                    end.run();
                }
            });
            async.registerDeferredResultInterceptor(end, new DeferredResultProcessingInterceptor() {
                @Override
                public <T> void afterCompletion(NativeWebRequest web, DeferredResult<T> deferred) {
                    end.run();
                }
            });
            // The end of the first dispatch: if nothing was started by then, nothing will be.
            request.registerDestructionCallback(
                    ResponseEnd.class.getName() + "@" + System.identityHashCode(end),
                    () -> {
                        if (!async.isConcurrentHandlingStarted()
                                || AsyncFailure.isIn(request.getRequest())
                                || !AsyncError.await(request.getRequest(), end)) {
                            end.run();
                        }
                    },
                    RequestAttributes.SCOPE_REQUEST);
            return true;
        }

        /** When a client of HTTP/2 is gone, Jetty tells of an error, which Spring keeps to itself, and never of the end. */
        private record AsyncError(Runnable end) implements AsyncListener {
            /** Runs {@code end} at an error. Returns false if the asynchronous part is over. */
            static boolean await(HttpServletRequest request, Runnable end) {
                try {
                    request.getAsyncContext().addListener(new AsyncError(end));
                    AsyncFailure.whenBrokenOff(request, end);
                    return true;
                } catch (IllegalStateException over) {
                    return false;
                }
            }

            @Override
            public void onComplete(AsyncEvent event) {}

            @Override
            public void onTimeout(AsyncEvent event) {}

            @Override
            public void onError(AsyncEvent event) {
                end.run();
            }

            @Override
            public void onStartAsync(AsyncEvent event) {}
        }

        /** By the class of a body, since every call asks. */
        private static final ClassValue<Boolean> WORKED_ON_LATER = new ClassValue<>() {
            @Override
            protected Boolean computeValue(Class<?> body) {
                return ReturnType.isDeferred(body)
                        || CompletionStage.class.isAssignableFrom(body)
                        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(body) != null;
            }
        };

        private static boolean isWorkedOnLater(Object body) {
            return WORKED_ON_LATER.get(body.getClass());
        }
    }
}
