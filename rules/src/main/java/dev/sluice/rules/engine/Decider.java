package dev.sluice.rules.engine;

import dev.sluice.Decision;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.Ticker;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Charges what the rules are to charge for a request, all or none, by the shortest way: one limiter alone, several in one
 * step of the store, or a {@link CheckExecution} where there is more to it. It knows those who wait for several rules.
 */
final class Decider {
    private final Store store;
    private final Scheduler scheduler;
    private final Ticker ticker;
    private final Set<WaitingCharge> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean waitsEnded;

    Decider(Store store, Scheduler scheduler, Ticker ticker) {
        this.store = store;
        this.scheduler = scheduler;
        this.ticker = ticker;
    }

    /** The verdict of these charges. Cancelling it, or completing it by other means, takes nothing. */
    CompletableFuture<Verdict> decide(List<PendingCharge> charges) {
        if (charges.isEmpty()) {
            return CompletableFuture.completedFuture(Verdict.FREE);
        }
        if (!isPlain(charges)) {
            CheckExecution execution = new CheckExecution(store, this::waitForAll, charges);
            return cancellable(execution.run(), execution::cancel);
        }
        if (charges.size() == 1) {
            PendingCharge only = charges.get(0);
            CompletableFuture<Decision> taken = only.take();
            return CheckExecution.isDecided(taken)
                    ? CompletableFuture.completedFuture(Verdict.of(List.of(only.decided(taken.join()))))
                    : refundable(taken, decision -> Verdict.of(List.of(only.decided(decision))));
        }
        return refundable(store.decideAll(CheckExecution.charges(charges)), decisions -> verdict(charges, decisions));
    }

    private CompletableFuture<List<Decision>> waitForAll(List<PendingCharge> charges) {
        WaitingCharge charge = new WaitingCharge(store, scheduler, ticker, charges);
        waiting.add(charge);
        CompletableFuture<List<Decision>> decisions = charge.run();
        decisions.whenComplete((made, failure) -> waiting.remove(charge));
        if (waitsEnded) {
            charge.endWait();
        }
        return decisions;
    }

    /** Whether charging is all there is to do: the common case, which is kept short. */
    private static boolean isPlain(List<PendingCharge> charges) {
        for (int i = 0; i < charges.size(); i++) {
            PendingCharge charge = charges.get(i);
            if (charge.action() != OnExceed.Action.REJECT || charge.blockedMicros() > 0 || charge.isShedding()) {
                return false;
            }
        }
        return true;
    }

    private static Verdict verdict(List<PendingCharge> charges, List<Decision> decisions) {
        List<RuleDecision> decided = new ArrayList<>(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            decided.add(charges.get(i).decided(decisions.get(i)));
        }
        return Verdict.of(decided);
    }

    /** The same verdict; if its caller cancels it or completes it, it waits no longer, and what was taken is refunded. */
    private static CompletableFuture<Verdict> cancellable(CompletableFuture<Verdict> verdict, Runnable cancel) {
        if (verdict.isDone()) {
            return verdict;
        }
        CompletableFuture<Verdict> handed = refundable(verdict, given -> given);
        handed.whenComplete((given, failure) -> {
            if (!verdict.isDone()) {
                cancel.run();
            }
        });
        return handed;
    }

    /** The verdict of what is decided; if its caller cancels it or completes it before, what was taken is refunded. */
    private static <T> CompletableFuture<Verdict> refundable(
            CompletableFuture<T> decided, Function<T, Verdict> verdict) {
        CompletableFuture<Verdict> handed = new CompletableFuture<>();
        decided.whenComplete((made, failure) -> {
            if (failure != null) {
                handed.completeExceptionally(failure);
                return;
            }
            try {
                Verdict given = verdict.apply(made);
                if (!handed.complete(given)) {
                    TakenPermits.refund(given);
                }
            } catch (RuntimeException e) {
                handed.completeExceptionally(e);
            }
        });
        return handed;
    }

    // ---- Those who wait

    /** Lets those who wait look again. */
    void reconsiderWaits() {
        waiting.forEach(WaitingCharge::reconsider);
    }

    /** Denies those who wait. */
    void denyWaiting() {
        waiting.forEach(WaitingCharge::endWait);
    }

    /** Denies those who wait, and whoever would have to wait later. */
    void endWaits() {
        waitsEnded = true;
        denyWaiting();
    }

    /** Whether nobody may wait any more. */
    boolean waitsEnded() {
        return waitsEnded;
    }
}
