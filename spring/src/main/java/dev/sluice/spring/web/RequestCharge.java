package dev.sluice.spring.web;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.WebRules;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * What becomes of what a request took. Its status decides before the response leaves, so that whoever has the answer and
 * comes again finds given back what was to be given back; what was held is held until the response is complete.
 */
final class RequestCharge {
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final WebRules rules;
    private final Verdict verdict;
    private final BooleanSupplier isGivenBack;
    private final AtomicInteger status = new AtomicInteger();

    /** {@code isGivenBack}: whether a rule asked later denied the request, so that everything went back. */
    RequestCharge(WebRules rules, Verdict verdict, BooleanSupplier isGivenBack) {
        this.rules = rules;
        this.verdict = verdict;
        this.isGivenBack = isGivenBack;
    }

    /** Whether the status matters. */
    boolean asksStatus() {
        return rules.asksStatus(verdict);
    }

    /** The response is about to leave with this status; the first that is said counts. */
    CompletableFuture<Void> judge(int status) {
        return this.status.compareAndSet(0, status) && !isGivenBack.getAsBoolean()
                ? rules.giveBack(verdict, status)
                : DONE;
    }

    /** The response is complete, with this status unless it left with another. */
    void end(int status) {
        judge(status);
        if (!isGivenBack.getAsBoolean()) {
            rules.release(verdict, this.status.get());
        }
    }
}
