package dev.sluice.rules;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Charges several rules for one request, all or none, and waits where rules say so.
 *
 * <p>A request waits only if every rule in its way lets it wait that long; the shortest of their waits counts from the
 * start. When the time that the slowest of them asked for is over, all are asked again. Nothing is held meanwhile, so
 * that nobody is kept out by one who waits; the price is that several rules together do not serve first come, first
 * served, as one rule alone does.
 */
final class WaitingCharge {
    /** Held permits come back without notice: how often to look. */
    private static final long LOOK_EVERY_MICROS = 10_000;

    private final Store store;
    private final List<PendingCharge> stakes;
    private final List<Charge> charges;
    private final long startNanos = System.nanoTime();
    private final CompletableFuture<List<Decision>> result = new CompletableFuture<>();

    WaitingCharge(Store store, List<PendingCharge> stakes) {
        this.store = store;
        this.stakes = stakes;
        this.charges = stakes.stream().map(PendingCharge::charge).toList();
    }

    CompletableFuture<List<Decision>> run() {
        boolean waits = stakes.stream().anyMatch(PendingCharge::waits);
        if (!waits) {
            return store.decideAll(charges);
        }
        attempt();
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

    /** How long to wait before asking again; -1 if it is no use. */
    private long waitMicros(List<Decision> decisions) {
        long longest = 0;
        long left = Long.MAX_VALUE;
        for (int i = 0; i < decisions.size(); i++) {
            Decision decision = decisions.get(i);
            PendingCharge stake = stakes.get(i);
            if (decision.allowed()) {
                continue;
            }
            if (!stake.waits() || decision.never()) {
                return -1;
            }
            left = Math.min(left, stake.maxWaitMicros() - waitedMicros());
            boolean held = decision.retryAfterMicros() == Decision.NEVER_MICROS;
            longest = Math.max(
                    longest, held ? Math.min(LOOK_EVERY_MICROS, Math.max(0, left)) : decision.retryAfterMicros());
        }
        return longest > left || left <= 0 ? -1 : Math.max(1, longest);
    }

    /** A queue's delay is part of the wait; one that is longer than the rule's is given back. */
    private void admitted(List<Decision> decisions) {
        long delay = 0;
        List<Decision> denied = new ArrayList<>(decisions);
        boolean late = false;
        for (int i = 0; i < decisions.size(); i++) {
            Decision decision = decisions.get(i);
            delay = Math.max(delay, decision.delayMicros());
            long over = decision.delayMicros() - (stakes.get(i).maxWaitMicros() - waitedMicros());
            if (stakes.get(i).waits() && decision.delayMicros() > 0 && over > 0) {
                late = true;
                denied.set(i, PendingCharge.tooLate(decision, over));
            }
        }
        if (late) {
            giveBack(decisions).whenComplete((done, failure) -> result.complete(denied));
        } else if (delay > 0) {
            later(delay, () -> {
                if (!result.complete(decisions.stream().map(Decision::undelayed).toList())) {
                    giveBack(decisions);
                }
            });
        } else if (!result.complete(decisions)) {
            giveBack(decisions);
        }
    }

    private CompletableFuture<Void> giveBack(List<Decision> decisions) {
        CompletableFuture<?>[] all = new CompletableFuture<?>[decisions.size()];
        for (int i = 0; i < all.length; i++) {
            Charge charge = charges.get(i);
            all[i] = charge.limiter().refundAsync(charge.key(), decisions.get(i));
        }
        return CompletableFuture.allOf(all);
    }

    private long waitedMicros() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos);
    }

    private static void later(long micros, Runnable task) {
        CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS).execute(task);
    }
}
