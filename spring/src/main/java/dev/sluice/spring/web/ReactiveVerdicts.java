package dev.sluice.spring.web;

import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Waits for verdicts without blocking a thread. */
public final class ReactiveVerdicts {
    private ReactiveVerdicts() {}

    /**
     * The verdict, once it is known and its delay has passed. A verdict that is known already arrives on the subscriber's
     * thread, a later one on Reactor's {@code parallel} scheduler rather than on a thread of the store. Cancelling before
     * it has arrived gives the permits back.
     */
    public static Mono<Verdict> await(RuleEngine engine, CompletableFuture<Verdict> pending) {
        if (pending.isDone()) {
            Mono<Verdict> known =
                    pending.isCompletedExceptionally() ? Mono.fromFuture(pending) : Mono.just(pending.join());
            return known.flatMap(verdict -> delayed(engine, verdict));
        }
        return onOtherThread(engine, pending).flatMap(verdict -> delayed(engine, verdict));
    }

    private static Mono<Verdict> delayed(RuleEngine engine, Verdict verdict) {
        return verdict.delayMicros() == 0
                ? Mono.just(verdict)
                : Mono.defer(() -> onOtherThread(engine, refundable(engine, verdict)));
    }

    /** The verdict when its delay has passed. Cancelling it gives the permits back. */
    private static CompletableFuture<Verdict> refundable(RuleEngine engine, Verdict verdict) {
        CompletableFuture<Verdict> due = engine.delayed(verdict);
        due.whenComplete((given, failure) -> {
            if (failure != null) {
                engine.refund(verdict);
            }
        });
        return due;
    }

    private static Mono<Verdict> onOtherThread(RuleEngine engine, CompletableFuture<Verdict> verdict) {
        return Mono.fromFuture(verdict)
                .publishOn(Schedulers.parallel())
                .doOnDiscard(Verdict.class, engine::refund); // cancelled on the way to the other thread
    }
}
