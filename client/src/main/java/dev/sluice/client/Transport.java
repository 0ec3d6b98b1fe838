package dev.sluice.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the server, each with a deadline, behind a circuit breaker.
 *
 * <p>Why the deadline is kept here: the JDK's own timeout of a request ends when the head of the response is there, and a
 * body that never ends would be waited for. A call that is late is cancelled, which closes its connection, so that the
 * server gives back what it would have taken for it.
 *
 * <p>Why HTTP/1.1: over HTTP/2 the JDK's client fails calls beyond the number of streams that a server allows, in place of
 * letting them wait.
 */
final class Transport implements AutoCloseable {
    /** Why there is no reply. */
    static final class NoReply extends Exception {
        private static final long serialVersionUID = 1;

        NoReply(String reason) {
            super(reason, null, false, false);
        }
    }

    private static final System.Logger LOG = System.getLogger(SluiceClient.class.getName());
    private static final Duration MAX_PING = Duration.ofMillis(500);
    private static final AtomicInteger THREADS = new AtomicInteger();
    /** Runs code of applications. A future's own default starts a thread for each task where there are few processors. */
    private static final Executor CONTINUATIONS = ForkJoinPool.getCommonPoolParallelism() > 0
            ? ForkJoinPool.commonPool()
            : new CompletableFuture<>().defaultExecutor();

    private final String base;
    private final ClientOptions options;
    private final CircuitBreaker breaker = new CircuitBreaker();
    private final RequestSlots slots;
    private volatile @Nullable HttpClient http;

    Transport(URI base, ClientOptions options) {
        this(base, options, HttpClient.newBuilder());
    }

    Transport(URI base, ClientOptions options, HttpClient.Builder builder) {
        this.base = base.toString();
        this.options = options;
        this.slots = new RequestSlots(options.maxConnections());
        HttpClient.Builder client = builder.version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(options.timeout())
                .executor(threads());
        this.http = (options.ssl() == null ? client : client.sslContext(options.ssl())).build();
    }

    /** A thread for each processor, which end when there is nothing to do. None of them runs code of an application. */
    private static ThreadPoolExecutor threads() {
        int most = Math.max(2, Runtime.getRuntime().availableProcessors());
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(most, most, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "sluice-client-" + THREADS.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Sends a request. The future fails with {@link NoReply}, {@code within} at the latest. Cancelling it hangs up. */
    CompletableFuture<Reply> send(String method, String path, String body, Duration within, int maxBytes) {
        HttpClient client = http;
        if (client == null) {
            return CompletableFuture.failedFuture(new NoReply("the client is closed"));
        }
        OptionalLong admission = breaker.admit();
        if (admission.isEmpty()) {
            if (breaker.beginPing(System.nanoTime())) {
                ping(client);
            }
            return CompletableFuture.failedFuture(isOpen());
        }
        HttpRequest request = request(path)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        Call call = new Call(client, request, admission.getAsLong(), within, maxBytes);
        call.begin();
        return call.reply;
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
        String token = options.token();
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private NoReply isOpen() {
        return new NoReply(base + " did not answer the last calls, and is not called until it answers a ping");
    }

    private void ping(HttpClient client) {
        Duration within = options.timeout().compareTo(MAX_PING) < 0 ? options.timeout() : MAX_PING;
        CompletableFuture<HttpResponse<Void>> sent =
                client.sendAsync(request("/healthz").GET().build(), BodyHandlers.discarding());
        sent.<Boolean>handle((response, failure) -> failure == null)
                .completeOnTimeout(false, within.toNanos(), TimeUnit.NANOSECONDS)
                .thenAcceptAsync(
                        answered -> {
                            sent.cancel(true);
                            breaker.pinged(answered, System.nanoTime());
                        },
                        CONTINUATIONS);
    }

    /** Calls under way end as the failure policy says. The threads end by themselves. */
    @Override
    public void close() {
        http = null;
    }

    private final class Call {
        private final HttpClient client;
        private final HttpRequest request;
        private final long admission;
        private final Duration within;
        private final int maxBytes;
        private final CompletableFuture<Reply> reply = new CompletableFuture<>();
        private final CompletableFuture<Void> timer = new CompletableFuture<>();
        private volatile @Nullable CompletableFuture<HttpResponse<String>> sent;

        Call(HttpClient client, HttpRequest request, long admission, Duration within, int maxBytes) {
            this.client = client;
            this.request = request;
            this.admission = admission;
            this.within = within;
            this.maxBytes = maxBytes;
        }

        void begin() {
            reply.whenComplete((done, failure) -> ended(failure));
            timer.orTimeout(within.toNanos(), TimeUnit.NANOSECONDS).whenComplete((done, late) -> {
                if (late != null) { // on the one timer thread of the JVM, where code of an application must not run
                    fail(new NoReply("no reply from " + base + " within " + within.toMillis() + " ms"));
                }
            });
            slots.enter(this::start);
        }

        /** Runs when there is a slot. Code of an application that waits for the reply must not run here. */
        private void start() {
            if (reply.isDone() || breaker.hasOpenedSince(admission)) {
                slots.leave();
                fail(isOpen());
                return;
            }
            CompletableFuture<HttpResponse<String>> exchange;
            try {
                exchange = client.sendAsync(request, head -> new BoundedBody(maxBytes));
            } catch (RuntimeException e) {
                slots.leave();
                fail(new NoReply(base + " cannot be called: " + e));
                return;
            }
            sent = exchange;
            exchange.whenComplete((response, failure) -> {
                slots.leave();
                if (failure == null) {
                    reply.complete(new Reply(response.statusCode(), response.body()));
                } else {
                    reply.completeExceptionally(new NoReply("no reply from " + base + ": " + reason(failure)));
                }
            });
            if (reply.isDone()) {
                exchange.cancel(true);
            }
        }

        private void fail(NoReply failure) {
            CONTINUATIONS.execute(() -> reply.completeExceptionally(failure));
        }

        private void ended(@Nullable Throwable failure) {
            timer.complete(null);
            CompletableFuture<HttpResponse<String>> exchange = sent;
            if (failure == null) {
                if (breaker.succeeded(admission)) {
                    LOG.log(System.Logger.Level.INFO, "{0} answers again", base);
                }
            } else if (exchange == null || reply.isCancelled()) {
                breaker.abandoned(admission);
            } else if (breaker.failed(admission, System.nanoTime())) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0}; until it answers, the failure policy decides: {1}",
                        failure.getMessage(),
                        options.onFailure());
            }
            if (exchange != null) {
                exchange.cancel(true);
            }
        }
    }

    private static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
