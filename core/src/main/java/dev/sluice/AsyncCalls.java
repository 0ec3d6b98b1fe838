package dev.sluice;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The calls of a limiter that run work or hand out holds. Whatever goes wrong on the way, permits are released once the
 * work has ended, and refunded if it never began.
 */
final class AsyncCalls {
    private AsyncCalls() {}

    static CompletableFuture<Hold> hold(Limiter limiter, String key, long permits, Duration maxWait) {
        CompletableFuture<Hold> result = new CompletableFuture<>();
        await(limiter, key, permits, maxWait, result, decision -> {
            if (!result.complete(new Hold(limiter, key, decision))) {
                limiter.refundAsync(key, decision);
            }
        });
        return result;
    }

    static <T, E extends Exception> T run(
            Limiter limiter,
            String key,
            Decision decision,
            Limiter.Work<? extends T, E> work,
            Function<? super Decision, ? extends T> fallback)
            throws E {
        if (!decision.allowed()) {
            return fallback.apply(decision);
        }
        try {
            return work.run();
        } finally {
            limiter.release(key, decision);
        }
    }

    static <T> CompletableFuture<T> call(
            Limiter limiter,
            String key,
            long permits,
            Duration maxWait,
            Supplier<? extends CompletionStage<? extends T>> work,
            Function<? super Decision, ? extends T> fallback) {
        CompletableFuture<T> result = new CompletableFuture<>();
        await(limiter, key, permits, maxWait, result, decision -> {
            if (!decision.allowed()) {
                completeWith(result, () -> CompletableFuture.completedFuture(fallback.apply(decision)), () -> {});
            } else if (result.isDone()) {
                limiter.refundAsync(key, decision);
            } else {
                completeWith(result, work, () -> limiter.releaseAsync(key, decision));
            }
        });
        return result;
    }

    /** Passes on the decision once it is made; a result that is completed before then takes nothing. */
    private static void await(
            Limiter limiter,
            String key,
            long permits,
            Duration maxWait,
            CompletableFuture<?> result,
            Consumer<Decision> then) {
        CompletableFuture<Decision> pending = limiter.acquireAsync(key, permits, maxWait);
        pending.whenComplete((decision, failure) -> {
            if (decision != null) {
                then.accept(decision);
            } else {
                result.completeExceptionally(failure);
            }
        });
        result.whenComplete((value, failure) -> pending.cancel(false));
    }

    /** Starts the work; when it ends, or cannot start, runs {@code ended} and then completes the result. */
    private static <T> void completeWith(
            CompletableFuture<T> result, Supplier<? extends CompletionStage<? extends T>> work, Runnable ended) {
        CompletionStage<? extends T> running;
        try {
            running = Objects.requireNonNull(work.get(), "the work returned null in place of a future");
        } catch (Throwable e) {
            running = CompletableFuture.failedFuture(e);
        }
        running.whenComplete((value, failure) -> {
            try {
                ended.run();
            } finally {
                if (failure == null) {
                    result.complete(value);
                } else {
                    result.completeExceptionally(failure);
                }
            }
        });
    }
}
