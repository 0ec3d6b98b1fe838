package dev.sluice.spring.method;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.web.CallerContext;
import dev.sluice.spring.web.ReactiveCallerContext;
import io.micrometer.observation.Observation;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Lets through calls that answer by a {@code Mono} or a {@code Flux}: each subscription is a call. */
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
                method.asksCaller() ? ReactiveCallerContext.current() : Mono.just(CallerContext.NONE);
        Mono<Verdict> verdict = caller.flatMap(known -> {
            CompletableFuture<Verdict> asked = executor.ask(method, call, known);
            boolean here = asked.isDone();
            Mono<Verdict> given = Mono.fromFuture(asked).flatMap(each -> delayed(executor, each));
            return here ? given : given.publishOn(Schedulers.parallel());
        });
        return Mono.deferContextual(context -> {
            Observation under = context.getOrDefault(RateLimitObservations.IN_CONTEXT, executor.observation());
            return verdict.doOnNext(given -> RateLimitObservations.note(given, under));
        });
    }

    private static Mono<Verdict> delayed(RateLimitExecutor executor, Verdict verdict) {
        long micros = verdict.delayMicros();
        return micros == 0
                ? Mono.just(verdict)
                : Mono.delay(Duration.of(micros, ChronoUnit.MICROS))
                        .doOnCancel(() -> executor.refund(verdict))
                        .thenReturn(verdict);
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
        return Mono.fromRunnable(() -> executor.release(verdict));
    }
}
