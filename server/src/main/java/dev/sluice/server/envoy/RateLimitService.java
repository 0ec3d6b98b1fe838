package dev.sluice.server.envoy;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.RuleEngine;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Envoy's rate limit service. {@link RateLimitGrpc} and {@link RateLimitJson} make it available to clients. */
public final class RateLimitService {
    /** The longest message, in bytes. */
    static final int MAX_MESSAGE_BYTES = 256 << 10;

    private static final System.Logger LOG = System.getLogger(RateLimitService.class.getName());

    private final Decider decider;
    private final CallListener listener;

    RateLimitService(Decider decider, CallListener listener) {
        this.decider = decider;
        this.listener = listener;
    }

    /** Decides requests. */
    interface Decider {
        /** The result for each descriptor. Never blocks. The request has a domain and at least one descriptor. */
        CompletableFuture<List<DescriptorResult>> results(RateLimitRequest request);

        /** The response to a request. */
        default CompletableFuture<RateLimitResponse> decide(RateLimitRequest request) {
            return results(request).thenApply(results -> RateLimitResponses.of(request, results));
        }
    }

    /** A service that decides by files in the format of envoyproxy/ratelimit. */
    public static RateLimitService of(EnvoyLimits limits, CallListener listener) {
        return new RateLimitService(limits, listener);
    }

    /**
     * A service that decides by rules: the domain is the attribute {@code domain}, and each descriptor's entries are
     * attributes.
     *
     * @param store counts the hits of descriptors that have a limit of their own
     * @param onFailure decides about those while the store does not answer
     * @param overrides hears of those
     */
    public static RateLimitService of(
            RuleEngine engine, Store store, OnFailure onFailure, RateLimitListener overrides, CallListener listener) {
        RuleLimits limits = new RuleLimits(engine, new WindowCounter.Factory(store, onFailure));
        limits.listener(overrides);
        return new RateLimitService(limits, listener);
    }

    /**
     * The decision, which is there at once or comes later on the event loop that asks. The future fails with
     * {@link Descriptors.InvalidRequest} if the request has a mistake in it; every other failure is in the log.
     *
     * @param call the request over HTTP that brought it
     */
    Future<RateLimitResponse> decide(HttpServerRequest call, RateLimitRequest request) {
        try {
            Descriptors.check(request);
            long beganNanos = System.nanoTime();
            CompletableFuture<RateLimitResponse> decided = decider.results(request)
                    .thenApply(results -> {
                        RateLimitResponse response = RateLimitResponses.of(request, results);
                        listener.decided(call, beganNanos, new RateLimitOutcome(request, response, results));
                        return response;
                    });
            if (decided.isDone()) {
                return Future.succeededFuture(decided.join());
            }
            return Future.fromCompletionStage(
                            decided, Objects.requireNonNull(Vertx.currentContext(), "asked from an event loop"))
                    .recover(failure -> Future.failedFuture(logged(failure)));
        } catch (RuntimeException e) {
            return Future.failedFuture(logged(e));
        }
    }

    private static Throwable logged(Throwable failure) {
        Throwable cause = failure instanceof CompletionException
                ? Objects.requireNonNullElse(failure.getCause(), failure)
                : failure;
        if (!(cause instanceof Descriptors.InvalidRequest)) {
            LOG.log(System.Logger.Level.ERROR, "a rate limit request could not be decided", cause);
        }
        return cause;
    }

    /** The results of several futures as one. */
    static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<T> results = new ArrayList<>(futures.size());
                    futures.forEach(future -> results.add(future.join()));
                    return results;
                });
    }
}
