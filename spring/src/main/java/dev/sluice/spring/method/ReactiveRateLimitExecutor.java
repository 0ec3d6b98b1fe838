package dev.sluice.spring.method;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.web.CallerContext;
import dev.sluice.spring.web.ReactiveCallHeaders;
import dev.sluice.spring.web.ReactiveCallerContext;
import dev.sluice.spring.web.ReactiveVerdicts;
import io.micrometer.observation.Observation;
import org.aopalliance.intercept.MethodInvocation;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Checks the limits of methods that return a {@code Mono} or a {@code Flux}, at each subscription. */
final class ReactiveRateLimitExecutor {
    private ReactiveRateLimitExecutor() {}

    static boolean isEventLoop() {
        return Schedulers.isInNonBlockingThread();
    }

    static Mono<Object> mono(RateLimitExecutor executor, RateLimitedMethod method, MethodInvocation call) {
        MethodInvocation kept = RateLimitExecutor.kept(call);
        return Mono.usingWhen(
                verdict(executor, method, kept),
                verdict -> Mono.from(answer(method, kept, verdict)),
                verdict -> released(executor, verdict),
                (verdict, failure) -> released(executor, verdict),
                verdict -> released(executor, verdict));
    }

    static Flux<Object> flux(RateLimitExecutor executor, RateLimitedMethod method, MethodInvocation call) {
        MethodInvocation kept = RateLimitExecutor.kept(call);
        return Flux.usingWhen(
                verdict(executor, method, kept),
                verdict -> answer(method, kept, verdict),
                verdict -> released(executor, verdict),
                (verdict, failure) -> released(executor, verdict),
                verdict -> released(executor, verdict));
    }

    private static Mono<Verdict> verdict(RateLimitExecutor executor, RateLimitedMethod method, MethodInvocation call) {
        Mono<CallerContext> caller =
                method.needsCaller() ? ReactiveCallerContext.current() : Mono.just(CallerContext.NONE);
        Mono<Verdict> verdict =
                caller.flatMap(known -> ReactiveVerdicts.await(executor.engine(), executor.check(method, call, known)));
        return Mono.deferContextual(context -> {
            Observation observation = context.getOrDefault(RateLimitObservations.IN_CONTEXT, executor.observation());
            return verdict.doOnNext(given -> {
                RateLimitObservations.note(given, observation);
                ReactiveCallHeaders.show(given, context);
            });
        });
    }

    private static Publisher<Object> answer(RateLimitedMethod method, MethodInvocation call, Verdict verdict) {
        try {
            Object answer = verdict.allowed() ? RateLimitExecutor.kept(call).proceed() : method.instead(call, verdict);
            return answer == null ? Mono.empty() : cast(answer);
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Publisher<Object> cast(Object publisher) {
        return (Publisher<Object>) publisher;
    }

    private static Mono<Void> released(RateLimitExecutor executor, Verdict verdict) {
        return Mono.fromRunnable(() -> executor.engine().release(verdict));
    }
}
