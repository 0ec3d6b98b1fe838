package dev.sluice.rules.engine;

import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Place;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Gives back the permits that verdicts took, and the places of their requests. */
final class TakenPermits {
    private TakenPermits() {}

    /** Refunds what a verdict took, for a request that did not run. */
    static CompletableFuture<Void> refund(Verdict verdict) {
        return giveBack(verdict, decision -> decision.limiter().refundAsync(decision.key(), decision.decision()));
    }

    /** Releases the permits of concurrency limits that a verdict took. */
    static CompletableFuture<Void> release(Verdict verdict) {
        return giveBack(verdict, decision -> decision.limiter().releaseAsync(decision.key(), decision.decision()));
    }

    /** Done when everything is given back, and the places of the verdict are free. Every request ends so: no streams. */
    private static CompletableFuture<Void> giveBack(
            Verdict verdict, Function<RuleDecision, CompletableFuture<?>> giveBack) {
        List<RuleDecision> decisions = verdict.decisions();
        List<CompletableFuture<?>> pending = List.of();
        for (int i = 0; i < decisions.size(); i++) {
            if (isTaken(verdict, decisions.get(i))) {
                pending = withPending(pending, giveBack.apply(decisions.get(i)));
            }
        }
        for (int i = 0; i < decisions.size(); i++) {
            Place place = decisions.get(i).place();
            if (place != null) {
                pending = withPending(pending, place.release());
            }
        }
        return pending.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.allOf(pending.toArray(CompletableFuture<?>[]::new));
    }

    /** The same list with a future that is not done yet. */
    private static List<CompletableFuture<?>> withPending(
            List<CompletableFuture<?>> pending, CompletableFuture<?> future) {
        if (CheckExecution.isDecided(future)) {
            return pending;
        }
        List<CompletableFuture<?>> more = pending.isEmpty() ? new ArrayList<>() : pending;
        more.add(future);
        return more;
    }

    /** Whether a decision took permits. Of a denied request only shadow rules keep theirs. */
    private static boolean isTaken(Verdict verdict, RuleDecision decision) {
        return decision.isTaken()
                && (verdict.allowed() || decision.rule().onExceed().action() == OnExceed.Action.SHADOW);
    }
}
