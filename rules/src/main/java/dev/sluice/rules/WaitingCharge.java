package dev.sluice.rules;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Charges several rules for one request, all or none, and waits where the rules say so.
 *
 * <p>A request waits only if every rule that denies it lets it wait that long; the shortest of their waits counts, from
 * the start. When the longest of their {@code retryAfter} is over, all are tried again. Nothing is taken meanwhile, so
 * that a waiting request denies nobody else. The price: several rules together do not serve first come, first served, as
 * one rule alone does.
 */
final class WaitingCharge {
    /** How often to look for held permits, which are released without notice. */
    private static final long HELD_RETRY_MICROS = 10_000;

    private final Store store;
    private final Scheduler scheduler;
    private final List<PendingCharge> pending;
    private final List<Charge> charges;
    private final long startNanos = System.nanoTime();
    private final CompletableFuture<List<Decision>> result = new CompletableFuture<>();
    private volatile Runnable cancelTimer = () -> {};

    WaitingCharge(Store store, Scheduler scheduler, List<PendingCharge> pending) {
        this.store = store;
        this.scheduler = scheduler;
        this.pending = pending;
        this.charges = CheckExecution.charges(pending);
    }

    CompletableFuture<List<Decision>> run() {
        attempt();
        result.whenComplete((decisions, failure) -> cancelTimer.run());
        return result;
    }

    private void attempt() {
        if (result.isDone()) {
            return;
        }
        store.decideAll(charges).whenComplete((decisions, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (decisions.stream().allMatch(Decision::allowed)) {
                admitted(decisions);
            } else {
                long wait = waitMicros(decisions);
                if (wait < 0) {
                    result.complete(decisions);
                } else {
                    later(wait, this::attempt);
                }
            }
        });
    }

    /** How long to wait before the next attempt; -1 if no wait will help. */
    private long waitMicros(List<Decision> decisions) {
        long longest = 0;
        long left = Long.MAX_VALUE;
        for (int i = 0; i < decisions.size(); i++) {
            Decision decision = decisions.get(i);
            if (decision.allowed()) {
                continue;
            }
            if (!pending.get(i).waits() || decision.outcome() == Outcome.NEVER) {
                return -1;
            }
            left = Math.min(left, leftMicros(pending.get(i)));
            boolean held = decision.retryAfterMicros() == Decision.NEVER_MICROS;
            longest = Math.max(
                    longest, held ? Math.min(HELD_RETRY_MICROS, Math.max(0, left)) : decision.retryAfterMicros());
        }
        return longest > left || left <= 0 ? -1 : Math.max(1, longest);
    }

    /** Waits out the delay of a queue, which is part of the wait; refunds the request if the delay is too long. */
    private void admitted(List<Decision> decisions) {
        long delay = 0;
        List<Decision> denied = new ArrayList<>(decisions);
        boolean late = false;
        for (int i = 0; i < decisions.size(); i++) {
            Decision decision = decisions.get(i);
            delay = Math.max(delay, decision.delayMicros());
            long over = decision.delayMicros() - leftMicros(pending.get(i));
            if (pending.get(i).waits() && decision.delayMicros() > 0 && over > 0) {
                late = true;
                denied.set(i, tooLate(decision, over));
            }
        }
        if (late) {
            refund(decisions).whenComplete((done, failure) -> result.complete(denied));
        } else if (delay > 0) {
            later(delay, () -> complete(decisions));
        } else {
            complete(decisions);
        }
    }

    private void complete(List<Decision> taken) {
        if (!result.complete(taken.stream()
                .<Decision>map(each -> LimiterDecision.of(each).undelayed())
                .toList())) {
            refund(taken);
        }
    }

    /** The denial in place of an admission whose delay is longer than the wait by {@code overMicros}. */
    private static Decision tooLate(Decision admitted, long overMicros) {
        return LimiterDecision.denied(
                Outcome.DENIED,
                admitted.permits(),
                admitted.limit(),
                admitted.remaining(),
                overMicros,
                admitted.resetAfterMicros());
    }

    private CompletableFuture<Void> refund(List<Decision> taken) {
        CompletableFuture<?>[] all = new CompletableFuture<?>[taken.size()];
        for (int i = 0; i < all.length; i++) {
            Charge charge = charges.get(i);
            all[i] = charge.limiter().refundAsync(charge.key(), taken.get(i));
        }
        return CompletableFuture.allOf(all);
    }

    /** How much longer a rule lets the request wait. */
    private long leftMicros(PendingCharge charge) {
        long waited = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos);
        return TimeUnit.MICROSECONDS.convert(charge.rule().onExceed().maxWait()) - waited;
    }

    private void later(long micros, Runnable action) {
        cancelTimer = scheduler.schedule(micros, action);
    }
}
