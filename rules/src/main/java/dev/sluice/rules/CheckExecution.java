package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How one request goes past the rules that apply to it.
 *
 * <p>Those that can deny are charged together, all or none. Those that only watch are charged by themselves, whatever
 * the others say: they show what they would do in their place. Those that degrade are charged once it is clear that the
 * request goes ahead. A key that is blocked ends it at once, and nothing is charged.
 */
final class CheckExecution {
    private final Store store;
    private final List<PendingCharge> stakes;
    private final @Nullable Decision[] decisions;
    private @Nullable CompletableFuture<?> waiting;

    CheckExecution(Store store, List<PendingCharge> stakes) {
        this.store = store;
        this.stakes = stakes;
        this.decisions = new @Nullable Decision[stakes.size()];
    }

    CompletableFuture<Verdict> run() {
        boolean barred = false;
        for (int i = 0; i < stakes.size(); i++) {
            decisions[i] = stakes.get(i).blocked();
            barred |= decisions[i] != null && stakes.get(i).rule().enforces();
        }
        CompletableFuture<Void> watched = barred ? done() : each(OnExceed.Action.SHADOW);
        CompletableFuture<Void> decided = barred ? done() : enforced();
        return decided.thenCompose(done -> isDenied() ? done() : each(OnExceed.Action.DEGRADE))
                .thenCombine(watched, (one, other) -> verdict());
    }

    /** Takes nothing more, if it is still waiting. */
    void cancel() {
        CompletableFuture<?> turn = waiting;
        if (turn != null) {
            turn.cancel(false);
        }
    }

    private CompletableFuture<Void> enforced() {
        List<Integer> open = open(OnExceed.Action.REJECT, OnExceed.Action.WAIT);
        if (open.isEmpty()) {
            return done();
        }
        if (open.size() == 1) {
            CompletableFuture<Decision> turn = stakes.get(open.get(0)).take();
            waiting = turn;
            return note(open.get(0), turn);
        }
        List<PendingCharge> together = open.stream().map(stakes::get).toList();
        CompletableFuture<List<Decision>> turn = new WaitingCharge(store, together).run();
        waiting = turn;
        return turn.thenAccept(answers -> {
            for (int i = 0; i < answers.size(); i++) {
                decisions[open.get(i)] = answers.get(i);
            }
        });
    }

    private CompletableFuture<Void> each(OnExceed.Action action) {
        List<Integer> open = open(action, action);
        CompletableFuture<?>[] all = new CompletableFuture<?>[open.size()];
        for (int i = 0; i < all.length; i++) {
            PendingCharge stake = stakes.get(open.get(i));
            all[i] = note(open.get(i), stake.limiter().decideAsync(stake.key(), stake.permits()));
        }
        return all.length == 0 ? done() : CompletableFuture.allOf(all);
    }

    private CompletableFuture<Void> note(int index, CompletableFuture<Decision> answer) {
        return answer.thenAccept(decision -> decisions[index] = decision);
    }

    private List<Integer> open(OnExceed.Action one, OnExceed.Action other) {
        List<Integer> open = new ArrayList<>(stakes.size());
        for (int i = 0; i < stakes.size(); i++) {
            OnExceed.Action action = stakes.get(i).action();
            if (decisions[i] == null && (action == one || action == other)) {
                open.add(i);
            }
        }
        return open;
    }

    private boolean isDenied() {
        for (int i = 0; i < decisions.length; i++) {
            Decision decision = decisions[i];
            if (decision != null && !decision.allowed() && stakes.get(i).rule().enforces()) {
                return true;
            }
        }
        return false;
    }

    private Verdict verdict() {
        List<RuleDecision> rulings = new ArrayList<>(decisions.length);
        for (int i = 0; i < decisions.length; i++) {
            Decision decision = decisions[i];
            if (decision != null) {
                rulings.add(stakes.get(i).ruling(decision));
            }
        }
        return Verdict.of(rulings);
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.allOf();
    }
}
