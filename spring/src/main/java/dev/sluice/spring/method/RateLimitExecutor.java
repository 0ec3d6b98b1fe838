package dev.sluice.spring.method;

import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.CallerContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;

/** Lets calls through, or not: those that answer at once, and those that answer by a future. */
final class RateLimitExecutor {
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", RateLimitExecutor.class.getClassLoader());

    private final RuleRegistry registry;
    private final RuleEngine engine;
    private final ObservationRegistry observations;
    private final Executor executor;

    /** @param executor runs methods whose turn has come later, or whose store answers later */
    RateLimitExecutor(RuleRegistry registry, ObservationRegistry observations, Executor executor) {
        this.registry = registry;
        this.engine = registry.engine();
        this.observations = observations;
        this.executor = executor;
    }

    CompletableFuture<Verdict> ask(RateLimitedMethod method, MethodInvocation call, CallerContext caller) {
        return engine.check(method.asks(call, caller, registry));
    }

    /** What is observed on this thread. */
    @Nullable
    Observation observation() {
        return observations.getCurrentObservation();
    }

    void release(Verdict verdict) {
        engine.release(verdict);
    }

    void refund(Verdict verdict) {
        engine.refund(verdict);
    }

    private static CallerContext caller(RateLimitedMethod method) {
        return method.asksCaller() ? CallerContext.current() : CallerContext.NONE;
    }

    // ---- At once

    @Nullable
    Object now(RateLimitedMethod method, MethodInvocation call) throws Throwable {
        CompletableFuture<Verdict> asked = ask(method, call, caller(method));
        if (!asked.isDone()) {
            requireMayBlock(asked, call);
        }
        Verdict verdict = awaited(asked, call);
        RateLimitObservations.note(verdict, observations);
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

    private Verdict awaited(CompletableFuture<Verdict> asked, MethodInvocation call) {
        try {
            Verdict verdict = asked.get();
            if (verdict.delayMicros() > 0) {
                TimeUnit.MICROSECONDS.sleep(verdict.delayMicros());
            }
            return verdict;
        } catch (InterruptedException e) {
            abandon(asked);
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while " + call.getMethod() + " waited for its turn");
        } catch (ExecutionException e) {
            throw new IllegalStateException("asking the limits of " + call.getMethod() + " failed", e.getCause());
        }
    }

    /** Nobody waits for the answer any more: what it takes, or took just now, is given back. */
    private void abandon(CompletableFuture<Verdict> asked) {
        if (!asked.cancel(false)) {
            asked.thenAccept(engine::refund);
        }
    }

    /** An event loop is never made to wait: rather the call fails, as it does when Reactor itself is asked to block. */
    private void requireMayBlock(CompletableFuture<Verdict> asked, MethodInvocation call) {
        if (REACTOR && ReactiveRateLimitExecutor.isEventLoop()) {
            abandon(asked);
            throw new IllegalStateException(call.getMethod() + " would have to wait for its limits on "
                    + Thread.currentThread().getName()
                    + ", which must not block: let it return a Mono, a Flux or a CompletableFuture");
        }
    }

    // ---- By a future

    CompletionStage<@Nullable Object> future(RateLimitedMethod method, MethodInvocation call) throws Throwable {
        Observation under = observation();
        CompletableFuture<Verdict> asked = ask(method, call, caller(method));
        Verdict known = asked.isDone() ? asked.join() : null;
        if (known != null && known.delayMicros() == 0) {
            return run(method, call, known, under);
        }
        MethodInvocation kept = kept(call);
        return asked.thenComposeAsync(verdict -> later(verdict, () -> run(method, kept, verdict, under)), executor);
    }

    private CompletionStage<@Nullable Object> later(
            Verdict verdict, java.util.function.Supplier<CompletionStage<@Nullable Object>> run) {
        long micros = verdict.delayMicros();
        Executor then = micros == 0
                ? Runnable::run
                : CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS, executor);
        return CompletableFuture.supplyAsync(run, then).thenCompose(stage -> stage);
    }

    @SuppressWarnings("unchecked")
    private CompletionStage<@Nullable Object> run(
            RateLimitedMethod method, MethodInvocation call, Verdict verdict, @Nullable Observation under) {
        RateLimitObservations.note(verdict, under);
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
