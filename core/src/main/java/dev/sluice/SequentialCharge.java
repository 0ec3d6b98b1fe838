package dev.sluice;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Charges limiters one after another, and refunds those that were charged when one denies. */
final class SequentialCharge {
    private final List<Charge> charges;
    private final List<Decision> taken = new ArrayList<>();

    SequentialCharge(List<Charge> charges) {
        this.charges = charges;
    }

    CompletableFuture<List<Decision>> run() {
        int next = taken.size();
        if (next == charges.size()) {
            return CompletableFuture.completedFuture(taken);
        }
        Charge charge = charges.get(next);
        return charge.limiter()
                .decideAsync(charge.key(), charge.permits())
                .thenCompose(decision -> decision.allowed() ? next(decision) : undo(decision));
    }

    private CompletableFuture<List<Decision>> next(Decision decision) {
        taken.add(decision);
        return run();
    }

    private CompletableFuture<List<Decision>> undo(Decision denied) {
        int denier = taken.size();
        CompletableFuture<?>[] refunds = new CompletableFuture<?>[denier];
        for (int i = 0; i < denier; i++) {
            Charge charge = charges.get(i);
            refunds[i] = charge.limiter().refundAsync(charge.key(), taken.get(i));
        }
        return CompletableFuture.allOf(refunds).thenCompose(done -> uncharged(denier, denied));
    }

    /** The decisions of all limiters when none was charged. */
    private CompletableFuture<List<Decision>> uncharged(int denier, Decision denied) {
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            decisions.add(i == denier ? CompletableFuture.completedFuture(denied) : unchargedDecision(charge));
        }
        return CompletableFuture.allOf(decisions.toArray(CompletableFuture<?>[]::new))
                .thenApply(
                        done -> decisions.stream().map(CompletableFuture::join).toList());
    }

    private static CompletableFuture<Decision> unchargedDecision(Charge charge) {
        return charge.limiter()
                .peekAsync(charge.key(), 0)
                .thenCompose(now -> now.remaining() >= charge.permits()
                        ? CompletableFuture.completedFuture(now)
                        : charge.limiter().peekAsync(charge.key(), charge.permits()));
    }
}
