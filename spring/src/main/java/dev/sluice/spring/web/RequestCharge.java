package dev.sluice.spring.web;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.WebRules;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The permits that a request took. Rules with a condition on the status give theirs back before the response leaves, so
 * that a client that has the response and comes again finds them. Holds last until the response is complete.
 */
final class RequestCharge {
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final WebRules rules;
    private final Verdict verdict;
    private final WebRequestAdapter request;
    private final AtomicInteger status = new AtomicInteger();

    RequestCharge(WebRules rules, Verdict verdict, WebRequestAdapter request) {
        this.rules = rules;
        this.verdict = verdict;
        this.request = request;
    }

    /** Whether the charge depends on the status of the response. */
    boolean needsStatus() {
        return rules.needsStatus(verdict);
    }

    /** The response is about to leave with this status. Only the first call counts. */
    CompletableFuture<Void> settle(int status) {
        return this.status.compareAndSet(0, status) && !isRefunded() ? rules.refund(verdict, status) : DONE;
    }

    /** The response is complete, with this status unless it left with another. */
    void complete(int status) {
        settle(status);
        if (!isRefunded()) {
            rules.release(verdict, this.status.get());
        }
    }

    /** Whether a rule of a later phase denied the request, so that everything was given back. */
    private boolean isRefunded() {
        return request.attribute(RateLimitAttributes.REFUNDED) != null;
    }
}
