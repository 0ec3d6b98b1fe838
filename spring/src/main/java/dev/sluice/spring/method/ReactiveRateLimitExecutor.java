package dev.sluice.spring.method;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.caller.CallerContext;
import dev.sluice.spring.caller.ReactiveCallHeaders;
import dev.sluice.spring.caller.ReactiveCallerContext;
import dev.sluice.spring.web.CallObservations;
import dev.sluice.spring.web.reactive.ReactiveVerdicts;
import io.micrometer.observation.Observation;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Checks the limits of methods that return a {@code Mono}, a {@code Flux} or the like, at each subscription. */
final class ReactiveRateLimitExecutor {
    private ReactiveRateLimitExecutor() {}

    static boolean isEventLoop() {
        return Schedulers.isInNonBlockingThread();
    }

    static Object execute(RateLimitExecutor executor, RateLimitedMethod method, MethodInvocation call) {
        MethodInvocation kept = RateLimitExecutor.kept(call);
        Publisher<Object> publisher = method.returns().kind() == ReturnType.Kind.ONE
                ? one(executor, method, kept)
                : many(executor, method, kept);
        ReactiveAdapter adapter = method.returns().adapter();
        return adapter == null ? publisher : adapter.fromPublisher(publisher);
    }

    private static Mono<Object> one(RateLimitExecutor executor, RateLimitedMethod method, MethodInvocation call) {
        return Mono.usingWhen(
                charge(executor, method, call).map(charge -> new One(charge, new AtomicReference<>())),
                one -> Mono.from(answer(method, call, one.charge.verdict())).doOnNext(one.result::set),
                one -> Mono.fromRunnable(one::returned),
                (one, failure) -> Mono.fromRunnable(one.charge::failed),
                one -> Mono.fromRunnable(one.charge::end));
    }

    private record One(CallCharge charge, AtomicReference<@Nullable Object> result) {
        void returned() {
            if (charge.verdict().allowed()) {
                charge.returned(result.get());
            } else {
                charge.end();
            }
        }
    }

    private static Flux<Object> many(RateLimitExecutor executor, RateLimitedMethod method, MethodInvocation call) {
        return Flux.usingWhen(
                charge(executor, method, call),
                charge -> answer(method, call, charge.verdict()),
                charge -> Mono.fromRunnable(charge::end),
                (charge, failure) -> Mono.fromRunnable(charge::failed),
                charge -> Mono.fromRunnable(charge::end));
    }

    private static Mono<CallCharge> charge(
            RateLimitExecutor executor, RateLimitedMethod method, MethodInvocation call) {
        Mono<CallerContext> caller =
                method.needsCaller() ? ReactiveCallerContext.current() : Mono.just(CallerContext.NONE);
        return Mono.deferContextual(context -> {
            Observation current = context.getOrDefault(RateLimitObservations.IN_CONTEXT, executor.observation());
            CallObservations observations = CallObservations.of(current, ReactiveCallerContext.request(context));
            return caller.flatMap(known -> {
                List<RateLimitOperation> applying = method.applying(call, known);
                return ReactiveVerdicts.await(
                        executor.engine(), () -> executor.check(applying, call, known), verdict -> {
                            observations.note(verdict);
                            ReactiveCallHeaders.show(verdict, context);
                            return new CallCharge(executor.registry(), verdict, applying, call, known);
                        });
            });
        });
    }

    private static Publisher<Object> answer(RateLimitedMethod method, MethodInvocation call, Verdict verdict) {
        try {
            Object answer = verdict.allowed()
                    ? ExposeInvocationInterceptor.INSTANCE.invoke(RateLimitExecutor.kept(call))
                    : method.instead(call, verdict);
            return answer == null ? Mono.empty() : publisher(answer);
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Publisher<Object> publisher(Object answer) {
        if (answer instanceof Publisher<?> publisher) {
            return (Publisher<Object>) publisher;
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(answer.getClass());
        return adapter == null ? Mono.just(answer) : adapter.toPublisher(answer);
    }
}
