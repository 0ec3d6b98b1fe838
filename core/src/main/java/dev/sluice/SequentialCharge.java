package dev.sluice;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Charges limiters one after another, and gives back what was taken when one of them denies. */
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
                .thenCompose(decision -> decision.allowed() ? goOn(decision) : undo(decision));
    }

    private CompletableFuture<List<Decision>> goOn(Decision decision) {
        taken.add(decision);
        return run();
    }

    private CompletableFuture<List<Decision>> undo(Decision denied) {
        int denier = taken.size();
        CompletableFuture<?>[] given = new CompletableFuture<?>[denier];
        for (int i = 0; i < denier; i++) {
            Charge charge = charges.get(i);
            given[i] = charge.limiter().refundAsync(charge.key(), taken.get(i));
        }
        return CompletableFuture.allOf(given).thenCompose(done -> standings(denier, denied));
    }

    /** How each stands without the request. */
    private CompletableFuture<List<Decision>> standings(int denier, Decision denied) {
        List<CompletableFuture<Decision>> each = new ArrayList<>();
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            each.add(i == denier ? CompletableFuture.completedFuture(denied) : standing(charge));
        }
        return CompletableFuture.allOf(each.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> each.stream().map(CompletableFuture::join).toList());
    }

    private static CompletableFuture<Decision> standing(Charge charge) {
        return charge.limiter()
                .peekAsync(charge.key(), 0)
                .thenCompose(now -> now.remaining() >= charge.permits()
                        ? CompletableFuture.completedFuture(now)
                        : charge.limiter().peekAsync(charge.key(), charge.permits()));
    }
}
