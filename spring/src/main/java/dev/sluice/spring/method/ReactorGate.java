package dev.sluice.spring.method;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.Observations;
import dev.sluice.spring.web.Caller;
import dev.sluice.spring.web.ReactiveCaller;
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
final class ReactorGate {
    private ReactorGate() {}

    static boolean isEventLoop() {
        return Schedulers.isInNonBlockingThread();
    }

    static Mono<Object> mono(Gatekeeper keeper, LimitedMethod method, MethodInvocation call) {
        MethodInvocation kept = Calls.kept(call);
        return Mono.usingWhen(
                verdict(keeper, method, kept),
                verdict -> Mono.from(answer(method, kept, verdict)),
                verdict -> released(keeper, verdict),
                (verdict, failure) -> released(keeper, verdict),
                verdict -> released(keeper, verdict));
    }

    static Flux<Object> flux(Gatekeeper keeper, LimitedMethod method, MethodInvocation call) {
        MethodInvocation kept = Calls.kept(call);
        return Flux.usingWhen(
                verdict(keeper, method, kept),
                verdict -> answer(method, kept, verdict),
                verdict -> released(keeper, verdict),
                (verdict, failure) -> released(keeper, verdict),
                verdict -> released(keeper, verdict));
    }

    private static Mono<Verdict> verdict(Gatekeeper keeper, LimitedMethod method, MethodInvocation call) {
        Mono<Caller> caller = method.asksCaller() ? ReactiveCaller.current() : Mono.just(Caller.NOBODY);
        Mono<Verdict> verdict = caller.flatMap(known -> {
            CompletableFuture<Verdict> asked = keeper.ask(method, call, known);
            boolean here = asked.isDone();
            Mono<Verdict> given = Mono.fromFuture(asked).flatMap(each -> delayed(keeper, each));
            return here ? given : given.publishOn(Schedulers.parallel());
        });
        return Mono.deferContextual(context -> {
            Observation under = context.getOrDefault(Observations.IN_CONTEXT, keeper.observation());
            return verdict.doOnNext(given -> Observations.note(given, under));
        });
    }

    private static Mono<Verdict> delayed(Gatekeeper keeper, Verdict verdict) {
        long micros = verdict.delayMicros();
        return micros == 0
                ? Mono.just(verdict)
                : Mono.delay(Duration.of(micros, ChronoUnit.MICROS))
                        .doOnCancel(() -> keeper.refund(verdict))
                        .thenReturn(verdict);
    }

    private static Publisher<Object> answer(LimitedMethod method, MethodInvocation call, Verdict verdict) {
        try {
            Object answer = verdict.allowed() ? Calls.proceed(call) : method.instead(call, verdict);
            return answer == null ? Mono.empty() : cast(answer);
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Publisher<Object> cast(Object publisher) {
        return (Publisher<Object>) publisher;
    }

    private static Mono<Void> released(Gatekeeper keeper, Verdict verdict) {
        return Mono.fromRunnable(() -> keeper.release(verdict));
    }
}
