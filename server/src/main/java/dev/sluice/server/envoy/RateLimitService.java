package dev.sluice.server.envoy;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.RuleEngine;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Envoy's rate limit service. {@link RateLimitGrpc} and {@link RateLimitJson} are how it is asked. */
public final class RateLimitService {
    /** The longest message, in bytes. */
    public static final int MOST_BYTES = 256 << 10;

    private final Limits limits;

    RateLimitService(Limits limits) {
        this.limits = limits;
    }

    /** A service that decides by files in the format of envoyproxy/ratelimit. */
    public static RateLimitService of(EnvoyLimits limits) {
        return new RateLimitService(limits);
    }

    /**
     * A service that decides by rules: the domain is the attribute {@code domain}, and each descriptor's entries are
     * attributes.
     *
     * @param store where the limits are counted that descriptors bring themselves
     * @param onFailure what is said of those while the store does not answer
     */
    public static RateLimitService of(RuleEngine engine, Store store, OnFailure onFailure) {
        return new RateLimitService(new RuleLimits(engine, store, onFailure));
    }

    /** Who asks. */
    interface Asker {
        void answer(RateLimitResponse response);

        /** The request cannot be answered, and why. */
        void invalid(String reason);

        void failed(@Nullable Throwable failure);
    }

    /** Answers, now or on this context later. */
    void decide(RateLimitRequest request, Asker asker) {
        CompletableFuture<RateLimitResponse> decided;
        try {
            InvalidRequest.check(request);
            decided = limits.decide(request);
        } catch (RuntimeException e) {
            answer(asker, null, e);
            return;
        }
        if (decided.isDone()) {
            decided.whenComplete((response, failure) -> answer(asker, response, failure));
        } else {
            Context context = Objects.requireNonNull(Vertx.currentContext(), "asked from an event loop");
            decided.whenComplete(
                    (response, failure) -> context.runOnContext(woken -> answer(asker, response, failure)));
        }
    }

    private static void answer(Asker asker, @Nullable RateLimitResponse response, @Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof InvalidRequest invalid) {
            asker.invalid(invalid.reason());
        } else if (response != null) {
            asker.answer(response);
        } else {
            asker.failed(cause);
        }
    }
}
