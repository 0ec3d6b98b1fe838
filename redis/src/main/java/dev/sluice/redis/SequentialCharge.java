package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Charges limiters one after another where one script cannot: their keys lie on different nodes of a cluster, they ask for
 * different numbers of permits, or two of them are for the same counter. Those that were charged are refunded when one denies or fails. No more is admitted
 * than the limits allow, but until the refund another request may be denied.
 *
 * <p>After the timeout of a call no further limiter is asked: the failure policy decides for all, as if Redis had not
 * answered.
 */
final class SequentialCharge {
    private final JointRequest request;
    private final List<Charge> charges;
    private final List<RedisLimiter> limiters;
    private final RedisStore.Setup setup;
    private final long calledAtNanos = System.nanoTime();
    private final List<Decision> taken = new ArrayList<>();

    SequentialCharge(JointRequest request, RedisStore.Setup setup) {
        this.request = request;
        this.charges = request.charges();
        this.limiters = request.limiters();
        this.setup = setup;
    }

    CompletableFuture<List<Decision>> run() {
        int next = taken.size();
        if (next == charges.size()) {
            return CompletableFuture.completedFuture(taken);
        }
        if (setup.combiner().isLate(calledAtNanos)) {
            refund(); // nobody waits for it
            return CompletableFuture.completedFuture(new PolicyCharge(setup.memory(), request).decide());
        }
        Charge charge = charges.get(next);
        return limiters.get(next)
                .decide(charge.key(), charge.permits(), maxDelayMicros(charge))
                .handle((decision, failure) -> {
                    if (failure != null) {
                        return refund().<List<Decision>>thenCompose(done -> CompletableFuture.failedFuture(failure));
                    }
                    return decision.allowed() ? next(decision) : refund().thenCompose(done -> uncharged(decision));
                })
                .thenCompose(decisions -> decisions);
    }

    /** The longest delay of a queue that a charge accepts. */
    static long maxDelayMicros(Charge charge) {
        return charge.maxDelay().equals(Decision.NEVER)
                ? Long.MAX_VALUE
                : TimeUnit.MICROSECONDS.convert(charge.maxDelay());
    }

    private CompletableFuture<List<Decision>> next(Decision decision) {
        taken.add(decision);
        return run();
    }

    private CompletableFuture<Void> refund() {
        CompletableFuture<?>[] refunds = new CompletableFuture<?>[taken.size()];
        for (int i = 0; i < refunds.length; i++) {
            refunds[i] = limiters.get(i).refundAsync(charges.get(i).key(), taken.get(i));
        }
        return CompletableFuture.allOf(refunds);
    }

    /** The decisions of all limiters when none was charged. */
    private CompletableFuture<List<Decision>> uncharged(Decision denied) {
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (int i = 0; i < charges.size(); i++) {
            decisions.add(
                    i == taken.size()
                            ? CompletableFuture.completedFuture(denied)
                            : unchargedDecision(limiters.get(i), charges.get(i)));
        }
        return CompletableFuture.allOf(decisions.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<Decision> all =
                            decisions.stream().map(CompletableFuture::join).toList();
                    request.remember(setup.denials(), all.toArray(Decision[]::new), calledAtNanos);
                    return all;
                });
    }

    private static CompletableFuture<Decision> unchargedDecision(RedisLimiter limiter, Charge charge) {
        return limiter.peekAsync(charge.key(), 0)
                .thenCompose(now -> now.remaining() >= charge.permits()
                        ? CompletableFuture.completedFuture(now)
                        : limiter.peekAsync(charge.key(), charge.permits()));
    }
}
