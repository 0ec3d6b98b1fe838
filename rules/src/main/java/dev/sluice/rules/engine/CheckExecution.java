package dev.sluice.rules.engine;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Store;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The charging of all rules that apply to one request.
 *
 * <p>Rules that can deny are charged together, all or none. Shadow rules are charged by themselves, whatever the others
 * decide: they show what they would do in the others' place. Rules that degrade are charged once it is clear that the
 * request goes ahead. A blocked key denies the request at once, and nothing is charged.
 */
final class CheckExecution {
    private final Store store;
    private final Function<List<PendingCharge>, CompletableFuture<List<Decision>>> waitForAll;
    private final List<PendingCharge> charges;
    private final @Nullable Decision[] decisions;
    private volatile @Nullable CompletableFuture<?> waiting;

    /** Charges in {@code store}; {@code waitForAll} charges several rules of which some wait. */
    CheckExecution(
            Store store,
            Function<List<PendingCharge>, CompletableFuture<List<Decision>>> waitForAll,
            List<PendingCharge> charges) {
        this.store = store;
        this.waitForAll = waitForAll;
        this.charges = charges;
        this.decisions = new @Nullable Decision[charges.size()];
    }

    /** The verdict. If a charge fails, the others are refunded. */
    CompletableFuture<Verdict> run() {
        boolean blocked = false;
        for (int i = 0; i < charges.size(); i++) {
            decisions[i] = charges.get(i).blocked();
            blocked |= decisions[i] != null && charges.get(i).rule().enforces();
        }
        CompletableFuture<Void> shadows = blocked ? done() : chargeEach(OnExceed.Action.SHADOW);
        CompletableFuture<Void> enforced = blocked ? done() : chargeTogether();
        return enforced.thenCompose(done -> isDenied() ? done() : chargeEach(OnExceed.Action.DEGRADE))
                .handle((done, failure) -> shadows.thenCompose(charged -> orFailure(failure)))
                .thenCompose(charged -> charged)
                .handle((done, failure) -> failure == null ? done() : refund(failure))
                .thenCompose(charged -> charged)
                .thenApply(done -> verdict());
    }

    private static CompletableFuture<Void> orFailure(@Nullable Throwable failure) {
        return failure == null ? done() : CompletableFuture.failedFuture(failure);
    }

    /** Refunds what was charged before a charge failed. */
    private CompletableFuture<Void> refund(Throwable failure) {
        List<CompletableFuture<?>> refunds = new ArrayList<>();
        for (int i = 0; i < decisions.length; i++) {
            Decision decision = decisions[i];
            if (decision != null) {
                refunds.add(charges.get(i).refund(decision));
            }
        }
        return CompletableFuture.allOf(refunds.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> CompletableFuture.failedFuture(failure));
    }

    /** Takes nothing more, if it is still waiting. */
    void cancel() {
        CompletableFuture<?> wait = waiting;
        if (wait != null) {
            wait.cancel(false);
        }
    }

    private CompletableFuture<Void> chargeTogether() {
        List<Integer> open = open(OnExceed.Action.REJECT, OnExceed.Action.WAIT);
        if (open.isEmpty()) {
            return done();
        }
        if (open.size() == 1) {
            CompletableFuture<Decision> taken = started(charges.get(open.get(0))::take);
            waiting = taken;
            return noted(open.get(0), taken);
        }
        List<PendingCharge> together = open.stream().map(charges::get).toList();
        CompletableFuture<List<Decision>> taken = together.stream().anyMatch(PendingCharge::waits)
                ? waitForAll.apply(together)
                : started(() -> store.decideAll(charges(together)));
        waiting = taken;
        return forShares(together, noted(open, taken)).thenAccept(given -> {
            for (int i = 0; i < given.size(); i++) {
                decisions[open.get(i)] = given.get(i);
            }
        });
    }

    static List<Charge> charges(List<PendingCharge> pending) {
        List<Charge> charges = new ArrayList<>(pending.size());
        for (int i = 0; i < pending.size(); i++) {
            charges.add(pending.get(i).charge());
        }
        return charges;
    }

    /** Decisions on shares that were drawn, as decisions on the shares of the request's class. */
    static CompletableFuture<List<Decision>> forShares(
            List<PendingCharge> charges, CompletableFuture<List<Decision>> drawn) {
        boolean shedding = false;
        for (int i = 0; i < charges.size(); i++) {
            shedding |= charges.get(i).isShedding();
        }
        if (!shedding) {
            return drawn;
        }
        return drawn.thenCompose(decisions -> {
            List<CompletableFuture<Decision>> all = new ArrayList<>(charges.size());
            for (int i = 0; i < charges.size(); i++) {
                all.add(charges.get(i).forShare(decisions.get(i)));
            }
            return all(all);
        });
    }

    /** The results of all of these. */
    static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
    }

    /** Whether the result is there, as it is in memory: then nothing has to be called later. */
    static boolean isDecided(CompletableFuture<?> future) {
        return future.isDone() && !future.isCompletedExceptionally();
    }

    private CompletableFuture<Void> chargeEach(OnExceed.Action action) {
        List<Integer> open = open(action, action);
        CompletableFuture<?>[] all = new CompletableFuture<?>[open.size()];
        for (int i = 0; i < all.length; i++) {
            int index = open.get(i);
            all[i] = noted(index, started(charges.get(index)::take));
        }
        return all.length == 0 ? done() : CompletableFuture.allOf(all);
    }

    private CompletableFuture<Void> noted(int index, CompletableFuture<Decision> taken) {
        return noted(List.of(index), taken.thenApply(List::of))
                .thenCompose(charged -> charges.get(index).forShare(charged.get(0)))
                .thenAccept(decision -> decisions[index] = decision);
    }

    /** Notes what was taken at once, so that it is refunded if the rest of the check fails. */
    private CompletableFuture<List<Decision>> noted(List<Integer> indexes, CompletableFuture<List<Decision>> taken) {
        return taken.thenApply(given -> {
            for (int i = 0; i < given.size(); i++) {
                decisions[indexes.get(i)] = given.get(i);
            }
            return given;
        });
    }

    private List<Integer> open(OnExceed.Action one, OnExceed.Action other) {
        List<Integer> open = new ArrayList<>(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            OnExceed.Action action = charges.get(i).action();
            if (decisions[i] == null && (action == one || action == other)) {
                open.add(i);
            }
        }
        return open;
    }

    private boolean isDenied() {
        for (int i = 0; i < decisions.length; i++) {
            Decision decision = decisions[i];
            if (decision != null && !decision.allowed() && charges.get(i).rule().enforces()) {
                return true;
            }
        }
        return false;
    }

    private Verdict verdict() {
        List<RuleDecision> given = new ArrayList<>(decisions.length);
        for (int i = 0; i < decisions.length; i++) {
            Decision decision = decisions[i];
            if (decision != null) {
                given.add(charges.get(i).decided(decision));
            }
        }
        return Verdict.of(given);
    }

    /** A charge whose failure is always in the future. */
    private static <T> CompletableFuture<T> started(Supplier<CompletableFuture<T>> charge) {
        try {
            return charge.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.allOf();
    }
}
