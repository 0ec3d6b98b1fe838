package dev.sluice.spring.web;

import dev.sluice.Scheduler;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.WebRules;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What a request took, and is yet to be charged. Rules with a condition on the status are charged before the response
 * leaves, so that a client that has the response and comes again finds them charged. Holds last until the response is
 * complete.
 */
final class RequestCharge {
    /** How long the response to a request that failed may take until it has a status. */
    private static final long MAX_ERROR_MICROS = TimeUnit.SECONDS.toMicros(10);

    private final RuleEngine engine;
    private final WebRules rules;
    private final Request request;
    private final Verdict verdict;
    private final AtomicBoolean settled = new AtomicBoolean();
    private final CompletableFuture<Void> settlement = new CompletableFuture<>();
    private final AtomicBoolean over = new AtomicBoolean();

    RequestCharge(RuleEngine engine, WebRules rules, Request request, Verdict verdict) {
        this.engine = engine;
        this.rules = rules;
        this.request = request;
        this.verdict = verdict;
    }

    /** Whether the charge depends on the status of the response. */
    boolean needsStatus() {
        return rules.needsStatus(verdict);
    }

    /** The response is about to leave with this status. Only the first call counts; all complete when it is done. */
    CompletableFuture<Void> settle(int status) {
        if (!needsStatus()) {
            settlement.complete(null);
        } else if (settled.compareAndSet(false, true)) {
            rules.settle(engine, request, verdict, status).whenComplete((done, failure) -> settlement.complete(null));
        }
        return settlement;
    }

    /** The response is complete, with this status unless it left with another. */
    CompletableFuture<Void> complete(int status) {
        return settle(status).thenRun(this::release);
    }

    /** The request failed: the status will be that of the response which an error handler writes, if it writes one. */
    void fail() {
        if (settled.get() || !needsStatus()) {
            complete(500);
            return;
        }
        Runnable cancel = Scheduler.system().schedule(MAX_ERROR_MICROS, () -> complete(WebRules.NO_STATUS));
        settlement.thenRun(() -> {
            cancel.run();
            release();
        });
    }

    private void release() {
        if (over.compareAndSet(false, true)) {
            engine.release(verdict);
        }
    }

    /** A rule of a later phase denied the request: everything is given back, and nothing is charged any more. */
    void giveBack() {
        if (over.compareAndSet(false, true)) {
            engine.refund(verdict);
        }
        if (settled.compareAndSet(false, true)) {
            settlement.complete(null);
        }
    }
}
