package dev.sluice.spring.web.reactive;

import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;

/** Waits for verdicts without blocking a thread. */
public final class ReactiveVerdicts {
    private ReactiveVerdicts() {}

    /**
     * Checks at each subscription, and waits until the verdict is known and its delay has passed. Then {@code owner} gets
     * the verdict, and what it makes of it is emitted: the owner gives the permits back. If the subscriber has cancelled
     * before, or if {@code owner} throws, they are given back here.
     *
     * <p>A verdict that is known at once arrives on the subscriber's thread, a later one on Reactor's {@code parallel}
     * scheduler rather than on a thread of the store.
     */
    public static <T> Mono<T> await(
            RuleEngine engine, Supplier<CompletableFuture<Verdict>> check, Function<Verdict, T> owner) {
        return Mono.fromDirect(subscriber -> subscriber.onSubscribe(new Waiting<T>(engine, check, owner, subscriber)));
    }

    /**
     * One subscription. Reactor's operators drop a value that is on its way when they are cancelled, and not all of them tell
     * of it. So the verdict goes through none of them: it always comes to {@link #handOver}, and there it is the owner's, or
     * is given back, by whether {@code over} was set before.
     */
    private static final class Waiting<T> implements Subscription {
        private final RuleEngine engine;
        private final Supplier<CompletableFuture<Verdict>> check;
        private final Function<Verdict, T> owner;
        private final Subscriber<? super T> subscriber;
        private final AtomicBoolean started = new AtomicBoolean();
        /** Whether the subscriber has cancelled, or has been told. */
        private final AtomicBoolean over = new AtomicBoolean();
        /** What is waited for now: the verdict, then its delay. */
        private volatile @Nullable CompletableFuture<Verdict> stage;

        Waiting(
                RuleEngine engine,
                Supplier<CompletableFuture<Verdict>> check,
                Function<Verdict, T> owner,
                Subscriber<? super T> subscriber) {
            this.engine = engine;
            this.check = check;
            this.owner = owner;
            this.subscriber = subscriber;
        }

        @Override
        public void request(long n) {
            if (!Operators.validate(n) || over.get() || !started.compareAndSet(false, true)) {
                return;
            }
            CompletableFuture<Verdict> pending;
            try {
                pending = check.get();
            } catch (Throwable e) {
                Exceptions.throwIfFatal(e);
                fail(e);
                return;
            }
            boolean known = pending.isDone();
            follow(pending).whenComplete((verdict, failure) -> {
                if (failure != null) {
                    emit(known, () -> fail(failure));
                } else if (verdict.delayMicros() > 0) {
                    delay(verdict);
                } else if (!emit(known, () -> handOver(verdict))) {
                    engine.refund(verdict);
                }
            });
        }

        private void delay(Verdict verdict) {
            follow(engine.delayed(verdict)).whenComplete((due, cancelled) -> {
                if (cancelled != null || !emit(false, () -> handOver(verdict))) {
                    engine.refund(verdict);
                }
            });
        }

        /** Cancels a stage if the subscriber cancels. A check that is cancelled in time gives back by itself. */
        private CompletableFuture<Verdict> follow(CompletableFuture<Verdict> next) {
            stage = next;
            if (over.get()) {
                next.cancel(false);
            }
            return next;
        }

        /** Runs a step, here or on another thread. Returns false if it will not run. */
        private boolean emit(boolean here, Runnable step) {
            if (here) {
                step.run();
                return true;
            }
            try {
                Schedulers.parallel().schedule(step);
                return true;
            } catch (RejectedExecutionException e) {
                fail(e);
                return false;
            }
        }

        private void handOver(Verdict verdict) {
            if (!over.compareAndSet(false, true)) {
                engine.refund(verdict);
                return;
            }
            T owned;
            try {
                owned = owner.apply(verdict);
            } catch (Throwable e) {
                engine.refund(verdict);
                Exceptions.throwIfFatal(e);
                subscriber.onError(e);
                return;
            }
            subscriber.onNext(owned);
            subscriber.onComplete();
        }

        private void fail(Throwable failure) {
            if (over.compareAndSet(false, true)) {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
                subscriber.onError(cause == null ? failure : cause);
            }
        }

        @Override
        public void cancel() {
            CompletableFuture<Verdict> current = over.compareAndSet(false, true) ? stage : null;
            if (current != null) {
                current.cancel(false);
            }
        }
    }
}
