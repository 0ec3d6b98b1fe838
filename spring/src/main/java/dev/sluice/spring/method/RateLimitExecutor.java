package dev.sluice.spring.method;

import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.BlockingVerdicts;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.caller.CallHeaders;
import dev.sluice.spring.caller.CallerContext;
import dev.sluice.spring.web.CallObservations;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Checks the limits of a method before it runs. */
final class RateLimitExecutor {
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
        return switch (method.returns().kind()) {
            case VALUE -> executeBlocking(method, call);
            case FUTURE -> executeAsync(method, call);
            case ONE, MANY -> ReactiveRateLimitExecutor.execute(this, method, call);
        };
    }

    CompletableFuture<Verdict> check(List<RateLimitOperation> operations, MethodInvocation call, CallerContext caller) {
        List<RuleCheck> checks = new ArrayList<>(operations.size());
        for (int i = 0; i < operations.size(); i++) {
            checks.add(operations.get(i).check(call, caller, registry));
        }
        return engine.check(checks);
    }

    /** The current thread's observation; null if there is none. */
    @Nullable
    Observation observation() {
        return observations.getCurrentObservation();
    }

    /** The observations of a call of the current thread. */
    CallObservations callObservations() {
        return CallObservations.of(observation(), CallerContext.currentAdapter());
    }

    RuleEngine engine() {
        return engine;
    }

    RuleRegistry registry() {
        return registry;
    }

    Executor executor() {
        return executor;
    }

    private static CallerContext caller(RateLimitedMethod method) {
        return method.needsCaller() ? CallerContext.current() : CallerContext.NONE;
    }

    // ---- Methods that return a value

    private @Nullable Object executeBlocking(RateLimitedMethod method, MethodInvocation call) throws Throwable {
        requireMayBlock(call);
        CallerContext caller = caller(method);
        List<RateLimitOperation> applying = method.applying(call, caller);
        Verdict verdict = await(check(applying, call, caller), call);
        if (RateLimitObservations.isDue(verdict)) {
            callObservations().note(verdict);
        }
        CallHeaders.show(verdict);
        CallCharge charge = new CallCharge(registry, verdict, applying, call, caller);
        if (!verdict.allowed()) {
            charge.end();
            return method.instead(call, verdict);
        }
        Object result;
        try {
            result = call.proceed();
        } catch (Throwable e) {
            charge.failed();
            throw e;
        }
        if (!method.returns().handler() || !ResponseEnd.await(result, charge::end)) {
            charge.returned(result);
        }
        return result;
    }

    private Verdict await(CompletableFuture<Verdict> pending, MethodInvocation call) {
        try {
            return BlockingVerdicts.await(engine, pending, call.getMethod());
        } catch (InterruptedException e) {
            throw new CancellationException("interrupted while " + call.getMethod() + " waited for permits");
        }
    }

    /**
     * An event loop must not wait, for Redis or for permits. So that tests in memory and production on Redis agree, a call
     * there fails even if it would not have to wait.
     */
    private static void requireMayBlock(MethodInvocation call) {
        if (ReturnType.REACTOR && ReactiveRateLimitExecutor.isEventLoop()) {
            throw new IllegalStateException("@RateLimit on " + call.getMethod() + ": it may have to wait, and "
                    + Thread.currentThread().getName()
                    + " is a thread that must not block: let it return a Mono, a Flux or a CompletableFuture, or call it "
                    + "on Schedulers.boundedElastic()");
        }
    }

    // ---- Methods that return a future

    private @Nullable Object executeAsync(RateLimitedMethod method, MethodInvocation call) {
        CallerContext caller = caller(method);
        List<RateLimitOperation> applying = method.applying(call, caller);
        MethodInvocation kept = kept(call);
        return new AsyncCall(
                        this,
                        method,
                        kept,
                        verdict -> new CallCharge(registry, verdict, applying, kept, caller),
                        check(applying, call, caller))
                .start();
    }

    /** A copy of a call, which can proceed after the original one has returned. */
    static MethodInvocation kept(MethodInvocation call) {
        return call instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : call;
    }
}
