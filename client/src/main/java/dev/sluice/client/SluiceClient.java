package dev.sluice.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks a Sluice server whether requests may go ahead.
 *
 * <pre>{@code
 * SluiceClient sluice = SluiceClient.connect("http://127.0.0.1:8080");
 * if (sluice.check(Check.of("user", "ada").with("path", "/api/orders")).allowed()) …
 * }</pre>
 *
 * <p>No call hangs: when the server gives no answer within the timeout, the failure policy decides, and {@link
 * CheckResult#source} says so. A server that does not answer is not called again until it answers a ping. One client is
 * enough for an application, and is for any number of threads.
 */
public final class SluiceClient implements AutoCloseable {
    private static final String CHECK = "/v1/check";
    private static final String HOLDS = "/v1/holds/";
    private static final int MAX_CHECKS = 1000;
    private static final int MAX_BODY_BYTES = 1 << 20;
    private static final int MAX_REPLY_BYTES = 64 << 10;
    private static final int NO_CONTENT = 204;

    private final ClientOptions options;
    private final Transport transport;

    private SluiceClient(URI base, ClientOptions options) {
        this.options = options;
        this.transport = new Transport(base, options);
    }

    /**
     * A client of the server at this address, the one of its data port. Nothing is sent to it yet. The first client of a JVM
     * checks a socket of this process, for a second at most, so that the first check of the server is not late for the sake
     * of classes that have to be loaded.
     */
    public static SluiceClient connect(String url) {
        return connect(url, ClientOptions.defaults());
    }

    /**
     * A client with options.
     *
     * @throws IllegalArgumentException if the address is not one
     */
    public static SluiceClient connect(String url, ClientOptions options) {
        URI base = address(url, options);
        WarmUp.await();
        return new SluiceClient(base, options);
    }

    private static URI address(String url, ClientOptions options) {
        URI uri;
        try {
            uri = new URI(url.replaceFirst("/+$", ""));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(expected(url), e);
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        boolean plain = uri.getHost() != null
                && uri.getRawUserInfo() == null
                && uri.getRawQuery() == null
                && uri.getRawFragment() == null
                && uri.getPort() <= 0xffff;
        if (!plain || !(scheme.equals("http") || scheme.equals("https"))) {
            throw new IllegalArgumentException(expected(url));
        }
        if (options.ssl() != null && scheme.equals("http")) {
            throw new IllegalArgumentException("with ssl the address must begin with https://, was '" + url + "'");
        }
        return uri;
    }

    private static String expected(String url) {
        String shown = url.replaceFirst("//[^@/]*@", "//***@");
        return "the address of a server must look like http://127.0.0.1:8080, was '" + shown + "'";
    }

    /** Checks a request with these attributes that asks for {@code cost} permits; 0 takes nothing. */
    public CheckResult check(Map<String, String> attributes, long cost) {
        return check(Check.of(attributes).cost(cost));
    }

    /** Checks a request. */
    public CheckResult check(Check check) {
        return await(checkAsync(check), limit(check.waitUpTo()), this::byPolicy);
    }

    /** Checks a request without blocking a thread. Cancelling the future hangs up, and then nothing is taken. */
    public CompletableFuture<CheckResult> checkAsync(Check check) {
        StringBuilder json = new StringBuilder();
        check.write(json);
        CompletableFuture<Reply> reply = post(json.toString(), check.waitUpTo(), MAX_REPLY_BYTES);
        return answer(reply, CheckReader::one, this::byPolicy);
    }

    /**
     * Checks several requests, at most 1000, in one call. They are decided one after the other. The answers are in the same
     * order.
     */
    public List<CheckResult> checkAll(List<Check> checks) {
        return await(checkAllAsync(checks), limit(waits(checks)), reason -> byPolicy(reason, checks.size()));
    }

    /** The same without blocking a thread. */
    public CompletableFuture<List<CheckResult>> checkAllAsync(List<Check> checks) {
        int size = checks.size();
        if (size > MAX_CHECKS) {
            throw new IllegalArgumentException("one call has at most " + MAX_CHECKS + " checks, these are " + size);
        }
        if (size == 0) {
            return CompletableFuture.completedFuture(List.of());
        }
        CompletableFuture<Reply> reply = post(Check.list(checks), waits(checks), size * MAX_REPLY_BYTES);
        return answer(reply, read -> CheckReader.list(read, size), reason -> byPolicy(reason, size));
    }

    private static Duration waits(List<Check> checks) {
        return checks.stream().map(Check::waitUpTo).reduce(Duration.ZERO, Duration::plus);
    }

    /**
     * Checks a request against a concurrency limit, and holds the permits until the handle is closed or their lease ends.
     *
     * <pre>{@code
     * try (Hold hold = sluice.hold(Check.of("user", "ada").with("path", "/reports/7"))) {
     *     if (hold.allowed()) …
     * }
     * }</pre>
     */
    public Hold hold(Check check) {
        return holdOf(check(check));
    }

    /** The same without blocking a thread. */
    public CompletableFuture<Hold> holdAsync(Check check) {
        CompletableFuture<CheckResult> answer = checkAsync(check);
        CompletableFuture<Hold> hold = answer.thenApply(this::holdOf);
        hold.whenComplete((done, failure) -> {
            if (hold.isCancelled()) {
                answer.cancel(true);
            }
        });
        return hold;
    }

    /** The handle for the permits that an answer holds, for example one of {@link #checkAll}. */
    public Hold holdOf(CheckResult result) {
        return new Hold(result, () -> release(result.hold()), limit(Duration.ZERO));
    }

    private CompletableFuture<Boolean> release(@Nullable String token) {
        if (token == null) {
            return CompletableFuture.completedFuture(false);
        }
        return transport
                .send("DELETE", HOLDS + token, "", options.timeout(), MAX_REPLY_BYTES)
                .thenApply(reply -> reply.status() == NO_CONTENT);
    }

    private CompletableFuture<Reply> post(String json, Duration wait, int maxReplyBytes) {
        if (json.length() > MAX_BODY_BYTES || json.getBytes(UTF_8).length > MAX_BODY_BYTES) {
            throw new IllegalArgumentException("a call has at most " + MAX_BODY_BYTES + " bytes of JSON, this one has "
                    + json.getBytes(UTF_8).length);
        }
        return transport.send("POST", CHECK, json, options.timeout().plus(wait), maxReplyBytes);
    }

    private interface Reader<T> {
        T read(Reply reply) throws CheckReader.NoDecision;
    }

    private static <T> CompletableFuture<T> answer(
            CompletableFuture<Reply> reply, Reader<T> reader, Function<String, T> byPolicy) {
        CompletableFuture<T> answer = reply.handle((read, failure) -> {
            if (failure != null) {
                return byPolicy.apply(String.valueOf(failure.getMessage()));
            }
            try {
                return reader.read(read);
            } catch (CheckReader.NoDecision e) {
                return byPolicy.apply(String.valueOf(e.getMessage()));
            }
        });
        answer.whenComplete((done, failure) -> {
            if (answer.isCancelled()) {
                reply.cancel(true);
            }
        });
        return answer;
    }

    private CheckResult byPolicy(String failure) {
        return CheckResult.byPolicy(options.onFailure(), failure);
    }

    private List<CheckResult> byPolicy(String failure, int size) {
        return Collections.nCopies(size, byPolicy(failure));
    }

    /** Twice the time that the server has: the future is late only if nothing runs the code that completes it. */
    private Duration limit(Duration wait) {
        return options.timeout().plus(wait).multipliedBy(2);
    }

    private static <T> T await(CompletableFuture<T> future, Duration limit, Function<String, T> late) {
        try {
            return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            future.cancel(true);
            return late.apply("the calling thread was interrupted");
        } catch (TimeoutException e) {
            future.cancel(true);
            return late.apply("no thread was free to complete the call within " + limit.toMillis() + " ms");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SluiceUnavailableException unavailable) {
                throw unavailable;
            }
            throw new CompletionException(e.getCause());
        } catch (CancellationException e) {
            return late.apply("the call was cancelled");
        }
    }

    /** Sends nothing any more: the failure policy decides all further checks. */
    @Override
    public void close() {
        transport.close();
    }
}
