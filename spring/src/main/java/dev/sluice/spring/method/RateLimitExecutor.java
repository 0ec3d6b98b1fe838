package dev.sluice.spring.method;

import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.BlockingVerdicts;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.CallHeaders;
import dev.sluice.spring.web.CallerContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;

/** Checks the limits of a method before it runs. */
final class RateLimitExecutor {
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", RateLimitExecutor.class.getClassLoader());

    private final RuleRegistry registry;
    private final RuleEngine engine;
    private final ObservationRegistry observations;
    private final Executor executor;

    /** @param executor runs methods that had to wait for permits or for the store */
    RateLimitExecutor(RuleRegistry registry, ObservationRegistry observations, Executor executor) {
        this.registry = registry;
        this.engine = registry.engine();
        this.observations = observations;
        this.executor = executor;
    }

    /** Runs a method, or answers in its place if it is over a limit. */
    @Nullable
    Object execute(RateLimitedMethod method, MethodInvocation call) throws Throwable {
        return switch (method.returns()) {
            case VALUE -> executeBlocking(method, call);
            case FUTURE -> executeAsync(method, call);
            case MONO -> ReactiveRateLimitExecutor.mono(this, method, call);
            case FLUX -> ReactiveRateLimitExecutor.flux(this, method, call);
        };
    }

    CompletableFuture<Verdict> check(RateLimitedMethod method, MethodInvocation call, CallerContext caller) {
        return engine.check(method.checks(call, caller, registry));
    }

    /** The current thread's observation; null if there is none. */
    @Nullable
    Observation observation() {
        return observations.getCurrentObservation();
    }

    RuleEngine engine() {
        return engine;
    }

    private static CallerContext caller(RateLimitedMethod method) {
        return method.needsCaller() ? CallerContext.current() : CallerContext.NONE;
    }

    // ---- Methods that return a value

    private @Nullable Object executeBlocking(RateLimitedMethod method, MethodInvocation call) throws Throwable {
        CompletableFuture<Verdict> pending = check(method, call, caller(method));
        requireMayBlock(pending, call);
        Verdict verdict = await(pending, call);
        RateLimitObservations.note(verdict, observations);
        CallHeaders.show(verdict);
        if (!verdict.allowed()) {
            engine.release(verdict);
            return method.instead(call, verdict);
        }
        try {
            return call.proceed();
        } finally {
            engine.release(verdict);
        }
    }

    private Verdict await(CompletableFuture<Verdict> pending, MethodInvocation call) {
        try {
            return BlockingVerdicts.await(engine, pending, call.getMethod());
        } catch (InterruptedException e) {
            throw new CancellationException("interrupted while " + call.getMethod() + " waited for permits");
        }
    }

    /** On an event loop a call that would have to wait fails, as it does where Reactor itself is told to block. */
    private void requireMayBlock(CompletableFuture<Verdict> pending, MethodInvocation call) {
        if (!pending.isDone() && REACTOR && ReactiveRateLimitExecutor.isEventLoop()) {
            BlockingVerdicts.abandon(engine, pending);
            throw new IllegalStateException(call.getMethod() + " would have to wait for permits on "
                    + Thread.currentThread().getName()
                    + ", which must not block: let it return a Mono, a Flux or a CompletableFuture");
        }
    }

    // ---- Methods that return a future

    private CompletionStage<@Nullable Object> executeAsync(RateLimitedMethod method, MethodInvocation call) {
        Observation observation = observation();
        CompletableFuture<Verdict> pending = check(method, call, caller(method));
        Verdict known = pending.isDone() ? pending.join() : null;
        if (known != null && known.delayMicros() == 0) {
            CallHeaders.show(known);
            return run(method, call, known, observation);
        }
        MethodInvocation kept = kept(call);
        return pending.thenComposeAsync(
                verdict -> later(verdict, () -> run(method, kept, verdict, observation)), executor);
    }

    private CompletionStage<@Nullable Object> later(Verdict verdict, Supplier<CompletionStage<@Nullable Object>> run) {
        if (verdict.delayMicros() == 0) {
            return run.get();
        }
        return engine.delayed(verdict).thenComposeAsync(now -> run.get(), executor);
    }

    @SuppressWarnings("unchecked")
    private CompletionStage<@Nullable Object> run(
            RateLimitedMethod method, MethodInvocation call, Verdict verdict, @Nullable Observation observation) {
        RateLimitObservations.note(verdict, observation);
        try {
            Object answer = verdict.allowed() ? call.proceed() : method.instead(call, verdict);
            CompletionStage<@Nullable Object> stage = answer == null
                    ? CompletableFuture.completedFuture(null)
                    : (CompletionStage<@Nullable Object>) answer;
            return stage.whenComplete((value, failure) -> engine.release(verdict));
        } catch (Throwable e) {
            engine.release(verdict);
            return CompletableFuture.failedFuture(e instanceof CompletionException ? e.getCause() : e);
        }
    }

    /** A copy of a call, which can proceed after the original one has returned. */
    static MethodInvocation kept(MethodInvocation call) {
        return call instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : call;
    }
}
