package dev.sluice.spring.method;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.BlockingVerdicts;
import dev.sluice.spring.caller.CallHeaders;
import dev.sluice.spring.web.CallObservations;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * A call of a method that returns a future. The caller gets a future of its own at once: if it is cancelled before the
 * method has begun, the method does not run and nothing is charged; later, the method's own future is cancelled, and what it
 * holds is released when that is done.
 */
final class AsyncCall {
    private final RateLimitExecutor executor;
    private final RateLimitedMethod method;
    private final MethodInvocation call;
    private final Function<Verdict, CallCharge> charge;
    private final CompletableFuture<Verdict> pending;
    private final CallObservations observations;
    private final CompletableFuture<@Nullable Object> handed = new CompletableFuture<>();
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile @Nullable Future<?> running;

    AsyncCall(
            RateLimitExecutor executor,
            RateLimitedMethod method,
            MethodInvocation call,
            Function<Verdict, CallCharge> charge,
            CompletableFuture<Verdict> pending) {
        this.executor = executor;
        this.method = method;
        this.call = call;
        this.charge = charge;
        this.pending = pending;
        this.observations = executor.callObservations();
    }

    CompletableFuture<@Nullable Object> start() {
        handed.whenComplete((value, failure) -> handedIsDone());
        Verdict known = pending.isDone() && !pending.isCompletedExceptionally() ? pending.join() : null;
        if (known != null && known.delayMicros() == 0) {
            CallHeaders.show(known);
            begin(known);
        } else {
            pending.thenCompose(executor.engine()::delayed)
                    .thenAcceptAsync(this::begin, executor.executor())
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            handed.completeExceptionally(cause(failure));
                        }
                    });
        }
        return handed;
    }

    private void handedIsDone() {
        Future<?> current = running;
        if (begun.compareAndSet(false, true)) {
            BlockingVerdicts.abandon(executor.engine(), pending);
        } else if (current != null && handed.isCancelled()) {
            current.cancel(true);
        }
    }

    private void begin(Verdict verdict) {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        CallCharge taken = charge.apply(verdict);
        try {
            observations.note(verdict);
            Object answer = verdict.allowed()
                    ? ExposeInvocationInterceptor.INSTANCE.invoke(call)
                    : method.instead(call, verdict);
            follow(answer == null ? CompletableFuture.completedFuture(null) : (CompletionStage<?>) answer, taken);
        } catch (Throwable e) {
            taken.failed();
            handed.completeExceptionally(e instanceof CompletionException ? cause(e) : e);
        }
    }

    private void follow(CompletionStage<?> stage, CallCharge taken) {
        running = stage instanceof Future<?> future ? future : null;
        stage.whenComplete((value, failure) -> {
            if (failure != null || !taken.verdict().allowed()) {
                end(taken, failure);
                complete(value, failure);
                return;
            }
            try {
                taken.returned(value);
                complete(value, null);
            } catch (RuntimeException e) {
                complete(null, e);
            }
        });
        if (handed.isCancelled()) {
            handedIsDone();
        }
    }

    private static void end(CallCharge taken, @Nullable Throwable failure) {
        if (failure == null) {
            taken.end();
        } else {
            taken.failed();
        }
    }

    private void complete(@Nullable Object value, @Nullable Throwable failure) {
        if (failure == null) {
            handed.complete(value);
        } else {
            handed.completeExceptionally(failure instanceof CompletionException ? cause(failure) : failure);
        }
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }
}
