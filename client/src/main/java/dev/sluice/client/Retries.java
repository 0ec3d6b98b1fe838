package dev.sluice.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends the calls of any HTTP client of the JDK, and again where {@link RetryRules} say so.
 *
 * <pre>{@code
 * Retries retries = Retries.on(HttpClient.newHttpClient());
 * HttpResponse<String> response = retries.send(request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p>All calls of one {@code Retries} share a budget. A body of unknown length, such as that of an {@code InputStream}, may
 * be there only once, so such a call is never sent again. The timeout of a request is that of each try.
 */
public final class Retries {
    private final HttpClient client;
    private final RetryRules rules;

    private Retries(HttpClient client, RetryRules rules) {
        this.client = client;
        this.rules = rules;
    }

    /** By the {@linkplain RetryRules#standard standard rules}, with a budget of its own. */
    public static Retries on(HttpClient client) {
        return new Retries(client, RetryRules.standard());
    }

    /** The same by other rules. */
    public Retries rules(RetryRules other) {
        return new Retries(client, other);
    }

    /** Sends a request, as {@link HttpClient#send} does, and waits in between where the rules say so. */
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        if (!isRepeatable(request)) {
            return client.send(request, handler);
        }
        RetryRules.Call call = begin(request);
        while (true) {
            Attempt<T> attempt = new Attempt<>(call, handler);
            HttpResponse<T> response = client.send(request, attempt);
            Duration wait = attempt.wait;
            if (wait == null) {
                return response;
            }
            try {
                TimeUnit.NANOSECONDS.sleep(wait.toNanos());
            } finally {
                attempt.hangUp();
            }
        }
    }

    /** The same without blocking a thread. Cancelling the future ends the try under way, or the wait. */
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        if (!isRepeatable(request)) {
            return client.sendAsync(request, handler);
        }
        AsyncCall<T> call = new AsyncCall<>(request, handler, begin(request));
        call.send();
        return call.result;
    }

    private RetryRules.Call begin(HttpRequest request) {
        return rules.begin(request.method(), request.headers()::allValues);
    }

    private static boolean isRepeatable(HttpRequest request) {
        return request.bodyPublisher()
                .map(publisher -> publisher.contentLength() >= 0)
                .orElse(true);
    }

    /** Asks the rules when the head of the response is there; the body of one that is not the last is not read. */
    private static final class Attempt<T> implements BodyHandler<T> {
        private final RetryRules.Call call;
        private final BodyHandler<T> handler;
        private final SkippedBody<T> skipped = new SkippedBody<>();
        private volatile @Nullable Duration wait;

        Attempt(RetryRules.Call call, BodyHandler<T> handler) {
            this.call = call;
            this.handler = handler;
        }

        @Override
        public BodySubscriber<T> apply(ResponseInfo head) {
            wait = call.waitBeforeRetry(head.statusCode(), head.headers()::allValues);
            return wait == null ? handler.apply(head) : skipped;
        }

        /** Closes the connection of a response that is not the last, if its body has not ended by now. */
        void hangUp() {
            skipped.cancel();
        }
    }

    /**
     * Reads a little of a body, so that the connection can be used again, and gives up on one that is long, or that has not
     * ended when the next try begins.
     */
    private static final class SkippedBody<T> implements BodySubscriber<T> {
        private static final int MAX_BYTES = 64 << 10;

        private int left = MAX_BYTES;
        private boolean unwanted;
        private Flow.@Nullable Subscription subscription;

        @Override
        @SuppressWarnings("NullAway") // nobody sees the response that has this body
        public CompletionStage<T> getBody() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public synchronized void onSubscribe(Flow.Subscription given) {
            subscription = given;
            if (unwanted) {
                cancel();
            } else {
                given.request(Long.MAX_VALUE);
            }
        }

        @Override
        public synchronized void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                left -= buffer.remaining();
            }
            if (left < 0) {
                cancel();
            }
        }

        /** Closes the connection, unless the body has ended and another call may be using it. */
        synchronized void cancel() {
            unwanted = true;
            if (subscription != null) {
                subscription.cancel();
                subscription = null;
            }
        }

        @Override
        public synchronized void onError(Throwable failure) {
            subscription = null;
        }

        @Override
        public synchronized void onComplete() {
            subscription = null;
        }
    }

    private final class AsyncCall<T> {
        private final HttpRequest request;
        private final BodyHandler<T> handler;
        private final RetryRules.Call call;
        private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
        private volatile @Nullable CompletableFuture<?> current;

        AsyncCall(HttpRequest request, BodyHandler<T> handler, RetryRules.Call call) {
            this.request = request;
            this.handler = handler;
            this.call = call;
            result.whenComplete((done, failure) -> cancelCurrent());
        }

        private void send() {
            Attempt<T> attempt = new Attempt<>(call, handler);
            CompletableFuture<HttpResponse<T>> sent;
            try {
                sent = client.sendAsync(request, attempt);
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
                return;
            }
            follow(sent);
            sent.whenComplete((response, failure) -> {
                Duration wait = attempt.wait;
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else if (wait == null) {
                    result.complete(response);
                } else {
                    sendAfter(wait, attempt);
                }
            });
        }

        private void sendAfter(Duration wait, Attempt<T> before) {
            CompletableFuture<Void> pause = new CompletableFuture<>();
            pause.whenComplete((over, cancelled) -> before.hangUp());
            follow(pause);
            pause.completeOnTimeout(null, wait.toNanos(), TimeUnit.NANOSECONDS).thenRunAsync(this::send);
        }

        private void follow(CompletableFuture<?> next) {
            current = next;
            if (result.isDone()) {
                cancelCurrent();
            }
        }

        private void cancelCurrent() {
            CompletableFuture<?> now = current;
            if (now != null) {
                now.cancel(true);
            }
        }
    }
}
