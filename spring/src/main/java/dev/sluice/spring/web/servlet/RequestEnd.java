package dev.sluice.spring.web.servlet;

import dev.sluice.Scheduler;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Tells when the container is done with a request, the error page included. Only then does a request have a status that
 * ended with an exception, or with {@code sendError}.
 *
 * <p>Jetty tells of the end of a request, and dispatches its error page afterwards, of whose end it tells, too. There may be
 * none: another filter may have caught the exception.
 */
final class RequestEnd implements ServletRequestListener {
    private static final String TASKS = RequestEnd.class.getName();
    private static final String JETTY = "jetty";
    /** How long an error page may take to begin. Jetty dispatches it at once, on the same thread. */
    private static final long MAX_ERROR_PAGE_MICROS = TimeUnit.SECONDS.toMicros(1);

    /** What is to be done with the status of a response. */
    interface End {
        /** Completes when it is done. */
        CompletableFuture<Void> at(int status);
    }

    private record Task(IntSupplier status, End end) {}

    /** What is to be done at the end. Tests without a container have none. */
    private static final class Tasks {
        private List<Task> tasks = List.of();
        private boolean errorPageToCome;

        synchronized void add(Task task, boolean beforeErrorPage) {
            tasks = tasks.isEmpty() ? new ArrayList<>() : tasks;
            tasks.add(task);
            errorPageToCome = beforeErrorPage;
        }

        synchronized boolean isErrorPageToCome() {
            return errorPageToCome;
        }

        /** A dispatch begins. Returns whether it is the error page that tasks wait for. */
        synchronized boolean isErrorPage() {
            boolean expected = errorPageToCome;
            errorPageToCome = false;
            return expected;
        }

        synchronized List<Task> take() {
            List<Task> taken = tasks;
            tasks = List.of();
            return taken;
        }

        /** Ends the tasks by the status that the response has now, unless an error page begins soon. */
        void endWithoutErrorPage() {
            List<Runnable> later = new ArrayList<>();
            synchronized (this) {
                for (Task task : tasks) {
                    int status = task.status().getAsInt();
                    later.add(() -> task.end().at(status));
                }
            }
            Scheduler.system().schedule(MAX_ERROR_PAGE_MICROS, () -> {
                if (isErrorPage()) {
                    later.forEach(Runnable::run);
                }
            });
        }
    }

    /**
     * Calls {@code end} with the status at the end of a request that is left to an error page.
     *
     * @return false if nobody would tell of the end
     */
    static boolean await(ServletRequest request, IntSupplier status, End end) {
        if (request.getAttribute(TASKS) instanceof Tasks tasks) {
            String server = request.getServletContext().getServerInfo();
            tasks.add(new Task(status, end), server.startsWith(JETTY));
            return true;
        }
        return false;
    }

    @Override
    public void requestInitialized(ServletRequestEvent event) {
        ServletRequest request = event.getServletRequest();
        if (!(request.getAttribute(TASKS) instanceof Tasks tasks && tasks.isErrorPage())) {
            request.setAttribute(TASKS, new Tasks());
        }
    }

    @Override
    public void requestDestroyed(ServletRequestEvent event) {
        if (!(event.getServletRequest().getAttribute(TASKS) instanceof Tasks tasks)) {
            return;
        }
        if (tasks.isErrorPageToCome()) {
            tasks.endWithoutErrorPage();
            return;
        }
        // Waits for the store, since the response may leave as soon as this returns.
        tasks.take().forEach(task -> task.end().at(task.status().getAsInt()).join());
    }
}
