package dev.sluice.server.envoy;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.web.VertxExchange;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Envoy's rate limit service. {@link RateLimitGrpc} and {@link RateLimitJson} make it available to clients. A client that
 * hangs up, or whose deadline is over, before it has its response takes nothing.
 */
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
        /**
         * Never blocks. The request has a domain and at least one descriptor. Cancelling the future takes nothing.
         */
        CompletableFuture<Decided> decide(RateLimitRequest request);
    }

    /**
     * A decision.
     *
     * @param results one for each descriptor
     * @param giveBack gives back what was taken, for a client that has gone
     * @param holds whether permits are held until they are released
     */
    record Decided(List<DescriptorResult> results, Runnable giveBack, boolean holds) {}

    /** Writes the response of one call, in the form of its protocol. */
    interface Reply {
        Future<Void> send(RateLimitResponse response);

        /**
         * Ends the call without a decision: with {@link Descriptors.InvalidRequest} if the request has a mistake in it,
         * with a {@link CancellationException} if its deadline is over. Every other failure is in the log.
         */
        void fail(Throwable failure);
    }

    /**
     * A service that decides by files in the format of envoyproxy/ratelimit.
     *
     * @param recorder records the descriptors, as the rules would see them; null for none
     */
    public static RateLimitService of(EnvoyLimits limits, CallListener listener, @Nullable Recorder recorder) {
        if (recorder == null) {
            return new RateLimitService(limits, listener);
        }
        Decider recorded = request -> {
            record(request, recorder);
            return limits.decide(request);
        };
        return new RateLimitService(recorded, listener);
    }

    private static void record(RateLimitRequest request, Recorder recorder) {
        for (int i = 0; i < request.getDescriptorsCount(); i++) {
            try {
                if (Descriptors.hits(request, request.getDescriptors(i)) > 0) {
                    recorder.record(Descriptors.request(request, i));
                }
            } catch (Descriptors.InvalidRequest e) {
                LOG.log(System.Logger.Level.DEBUG, "not recorded, since rules could not decide it", e);
            }
        }
    }

    /**
     * A service that decides by rules: the domain is the attribute {@code domain}, and each descriptor's entries are
     * attributes.
     *
     * @param store counts the hits of descriptors that have a limit of their own
     * @param onFailure decides about those while the store does not answer
     * @param overrides hears of those
     * @param recorder records the descriptors that the rules decide; null for none
     */
    public static RateLimitService of(
            RuleEngine engine,
            Store store,
            OnFailure onFailure,
            RateLimitListener overrides,
            CallListener listener,
            @Nullable Recorder recorder) {
        RuleLimits limits = new RuleLimits(engine, new WindowCounter.Factory(store, onFailure), recorder);
        limits.listener(overrides);
        return new RateLimitService(limits, listener);
    }

    /**
     * Decides a request and replies, at once or later on the event loop that asks.
     *
     * @param deadline how long the client waits; null for as long as it takes
     */
    void answer(HttpServerRequest client, RateLimitRequest request, @Nullable Duration deadline, Reply reply) {
        CompletableFuture<Decided> decided;
        long beganNanos = System.nanoTime();
        try {
            Descriptors.check(request);
            decided = decider.decide(request);
        } catch (RuntimeException e) {
            reply.fail(logged(e));
            return;
        }
        if (decided.isDone()) {
            reply(new Call(client, request, beganNanos, reply), decided);
            return;
        }
        ContextInternal context = Objects.requireNonNull(ContextInternal.current(), "asked from an event loop");
        client.response().closeHandler(gone -> decided.cancel(false));
        long timer = deadline == null
                ? -1
                : context.owner().setTimer(Math.max(1, deadline.toMillis()), over -> decided.cancel(false));
        decided.whenComplete((done, failure) -> context.emit(turn -> {
            context.owner().cancelTimer(timer);
            reply(new Call(client, request, beganNanos, reply), decided);
        }));
    }

    /** One call, and when it came. */
    private record Call(HttpServerRequest client, RateLimitRequest request, long beganNanos, Reply reply) {}

    private void reply(Call call, CompletableFuture<Decided> decided) {
        boolean gone = VertxExchange.isGone(call.client);
        if (decided.isCompletedExceptionally()) {
            decided.whenComplete((none, failure) -> {
                if (!gone) {
                    call.reply.fail(logged(failure));
                }
            });
            return;
        }
        Decided made = decided.join();
        if (gone) {
            made.giveBack.run();
            return;
        }
        RateLimitResponse response = RateLimitResponses.of(call.request, made.results);
        listener.decided(call.client, call.beganNanos, new RateLimitOutcome(call.request, response, made.results));
        Future<Void> sent = call.reply.send(response);
        if (made.holds) {
            sent.onFailure(unsent -> made.giveBack.run());
        }
    }

    private static Throwable logged(Throwable failure) {
        Throwable cause = failure instanceof CompletionException
                ? Objects.requireNonNullElse(failure.getCause(), failure)
                : failure;
        if (!(cause instanceof Descriptors.InvalidRequest || cause instanceof CancellationException)) {
            LOG.log(System.Logger.Level.ERROR, "a rate limit request could not be decided", cause);
        }
        return cause;
    }

    /** The results of several futures as one. */
    static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
        for (int i = 0; i < futures.size(); i++) {
            if (!isDecided(futures.get(i))) {
                return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                        .thenApply(done -> results(futures));
            }
        }
        return CompletableFuture.completedFuture(results(futures));
    }

    /** The same; if one of them fails, what was taken for the others is given back. */
    static <T> CompletableFuture<List<T>> allOrNone(List<CompletableFuture<T>> futures, Consumer<T> giveBack) {
        CompletableFuture<List<T>> all = all(futures);
        return isDecided(all)
                ? all
                : all.whenComplete((results, failure) -> {
                    if (failure != null) {
                        futures.stream()
                                .filter(RateLimitService::isDecided)
                                .map(CompletableFuture::join)
                                .forEach(giveBack);
                    }
                });
    }

    /**
     * The same decision; when its caller cancels it, what was taken for it is given back.
     *
     * @param onCancel called then, to end what is under way
     */
    static CompletableFuture<Decided> cancellable(CompletableFuture<Decided> decided, Runnable onCancel) {
        if (decided.isDone()) {
            return decided;
        }
        CompletableFuture<Decided> handed = new CompletableFuture<>();
        decided.whenComplete((made, failure) -> {
            if (failure != null) {
                handed.completeExceptionally(failure);
            } else if (!handed.complete(made)) {
                made.giveBack().run();
            }
        });
        handed.whenComplete((made, failure) -> {
            if (handed.isCancelled()) {
                onCancel.run();
            }
        });
        return handed;
    }

    private static <T> List<T> results(List<CompletableFuture<T>> futures) {
        List<T> results = new ArrayList<>(futures.size());
        for (int i = 0; i < futures.size(); i++) {
            results.add(futures.get(i).join());
        }
        return results;
    }

    /** Whether the result is there, as it is in memory: then nothing has to be called later. */
    static boolean isDecided(CompletableFuture<?> future) {
        return future.isDone() && !future.isCompletedExceptionally();
    }
}
