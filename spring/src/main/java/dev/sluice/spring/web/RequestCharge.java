package dev.sluice.spring.web;

import dev.sluice.Scheduler;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.LimitedCallListener.Ending;
import dev.sluice.spring.LimitedCallListener.Result;
import dev.sluice.spring.WebRules;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a request took, and is yet to be charged. Rules with a condition on the status are charged before the response
 * leaves, so that a client that has the response and comes again finds them charged. Holds last until the response is
 * complete.
 */
public final class RequestCharge {
    private static final Logger LOG = LoggerFactory.getLogger(RequestCharge.class);
    /** How long the response to a request that failed may take until it has a status. */
    private static final long MAX_ERROR_MICROS = TimeUnit.SECONDS.toMicros(10);

    private final RuleEngine engine;
    private final WebRules rules;
    private final Request request;
    private final Verdict verdict;
    private final Ending ending;
    private final boolean needsStatus;
    private final AtomicBoolean settled = new AtomicBoolean();
    private final CompletableFuture<Void> settlement = new CompletableFuture<>();
    /** {@link WebRules#NO_STATUS} until the response leaves. */
    private volatile int leftWith;

    private final AtomicBoolean over = new AtomicBoolean();

    public RequestCharge(RuleEngine engine, WebRules rules, Request request, Verdict verdict, Ending ending) {
        this.engine = engine;
        this.rules = rules;
        this.request = request;
        this.verdict = verdict;
        this.ending = ending;
        this.needsStatus = rules.needsStatus(verdict);
    }

    /** Whether the charge depends on the status of the response. */
    public boolean needsStatus() {
        return needsStatus;
    }

    /** The response is about to leave with this status. Only the first call counts; all complete when it is done. */
    public CompletableFuture<Void> settle(int status) {
        if (settled.compareAndSet(false, true)) {
            leftWith = status;
            charge(status).whenComplete((done, failure) -> settlement.complete(null));
        }
        return settlement.copy(); // whoever gives up waiting for it cancels a copy
    }

    private CompletableFuture<Void> charge(int status) {
        if (!needsStatus) {
            return CompletableFuture.completedFuture(null);
        }
        try {
            return rules.settle(engine, request, verdict, status);
        } catch (RuntimeException e) {
            LOG.warn("a request could not be charged by its status, {}", status, e);
            return CompletableFuture.completedFuture(null);
        }
    }

    /** The response is complete, with this status unless it left with another. */
    public CompletableFuture<Void> complete(int status) {
        Result result = Result.of(status);
        if (!needsStatus) {
            release(result);
            return CompletableFuture.completedFuture(null);
        }
        settle(status);
        return settlement.thenRun(() -> release(result)).copy();
    }

    /**
     * The request failed: the status will be that of the response which an error handler writes, if it writes one. Then
     * {@link #settle} gets it. Permits that are held wait for it only if the charge depends on it.
     */
    public void fail() {
        if (settled.get()) {
            complete(500);
            return;
        }
        if (!needsStatus) {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            engine.release(verdict);
        }
        Runnable cancel = Scheduler.system().schedule(MAX_ERROR_MICROS, () -> settle(WebRules.NO_STATUS));
        settlement.thenRun(() -> {
            cancel.run();
            Result result = leftWith == WebRules.NO_STATUS ? Result.ERROR : Result.of(leftWith);
            if (needsStatus) {
                release(result);
            } else {
                ending.ended(result);
            }
        });
    }

    private void release(Result result) {
        if (over.compareAndSet(false, true)) {
            engine.release(verdict);
            ending.ended(result);
        }
    }

    /** A rule of a later phase denied the request: everything is given back, and nothing is charged any more. */
    void giveBack() {
        if (over.compareAndSet(false, true)) {
            engine.refund(verdict);
            ending.ended(Result.NOT_RUN);
        }
        if (settled.compareAndSet(false, true)) {
            settlement.complete(null);
        }
    }
}
