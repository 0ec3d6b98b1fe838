package dev.sluice.spring;

import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for verdicts on threads that may block. */
public final class BlockingVerdicts {
    private BlockingVerdicts() {}

    /**
     * Waits until a verdict is known and its delay has passed. If the thread is interrupted meanwhile, the permits are
     * given back and the thread stays interrupted.
     *
     * @param subject what is limited, for the message of a failure
     */
    public static Verdict await(RuleEngine engine, CompletableFuture<Verdict> pending, Object subject)
            throws InterruptedException {
        try {
            Verdict verdict = pending.get();
            return verdict.delayMicros() == 0 ? verdict : waited(engine.delayed(verdict));
        } catch (InterruptedException e) {
            abandon(engine, pending);
            Thread.currentThread().interrupt();
            throw e;
        } catch (ExecutionException e) {
            throw new IllegalStateException("checking the limits of " + subject + " failed", e.getCause());
        }
    }

    private static Verdict waited(CompletableFuture<Verdict> delayed) throws InterruptedException, ExecutionException {
        try {
            return delayed.get();
        } catch (InterruptedException e) {
            delayed.cancel(false);
            throw e;
        }
    }

    /** Cancels a check, or gives back the permits that it took. */
    public static void abandon(RuleEngine engine, CompletableFuture<Verdict> pending) {
        if (!pending.cancel(false)) {
            pending.thenAccept(engine::refund);
        }
    }
}
