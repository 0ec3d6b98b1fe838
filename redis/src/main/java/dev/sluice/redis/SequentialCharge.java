package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Charges limiters one after another where one script cannot: their keys lie on different nodes of a cluster, they ask for
 * different numbers of permits, or two of them are for the same counter. Those that were charged are refunded when one denies
 * or fails. No more is admitted than the limits allow, but until the refund another request may be denied.
 *
 * <p>What is denied is the whole request. So a charge to a counter that others before it charge too is told how the counter
 * stands for all of them together.
 *
 * <p>After the timeout of a call no further limiter is asked: the failure policy decides for all, as if Redis had not
 * answered. If one has denied by then, the others are not asked how they stand.
 */
final class SequentialCharge {
    private final JointRequest request;
    private final List<List<Limit>> limits;
    private final List<Charge> charges;
    private final List<RedisLimiter> limiters;
    private final RedisStore.Setup setup;
    private final long calledAtNanos = System.nanoTime();
    private final List<Decision> taken = new ArrayList<>();

    SequentialCharge(JointRequest request, RedisStore.Setup setup) {
        this.request = request;
        this.limits = request.limits();
        this.charges = request.charges();
        this.limiters = request.limiters();
        this.setup = setup;
    }

    CompletableFuture<List<Decision>> run() {
        int next = taken.size();
        if (next == charges.size()) {
            return CompletableFuture.completedFuture(taken);
        }
        if (isLate()) {
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
                    return decision.allowed() ? next(decision) : denied(decision);
                })
                .thenCompose(decisions -> decisions);
    }

    /** The longest delay of a queue that a charge accepts. */
    static long maxDelayMicros(Charge charge) {
        return charge.maxDelay().equals(Decision.NEVER)
                ? Long.MAX_VALUE
                : TimeUnit.MICROSECONDS.convert(charge.maxDelay());
    }

    /** Whether another call may not end within twice the timeout. */
    private boolean isLate() {
        return setup.combiner().isLate(calledAtNanos);
    }

    private CompletableFuture<List<Decision>> denied(Decision denied) {
        CompletableFuture<Void> refunded = refund();
        return (isLate() ? CompletableFuture.<Void>completedFuture(null) : refunded)
                .thenCompose(done -> uncharged(denied));
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

    /**
     * How a limiter stands when none was charged.
     *
     * @param before the permits that charges before this one would have taken of the same counter
     * @param together the same with its own, if it would have taken them
     */
    private record Uncharged(Decision decision, long before, long together) {}

    /** The decisions of all limiters when none was charged. */
    private CompletableFuture<List<Decision>> uncharged(Decision denied) {
        List<CompletableFuture<Uncharged>> all = new ArrayList<>();
        for (int i = 0; i < charges.size(); i++) {
            int index = i;
            int previous = request.previousOfSameCounter(i);
            all.add(
                    previous < 0
                            ? uncharged(index, 0, denied)
                            : all.get(previous).thenCompose(earlier -> uncharged(index, earlier.together, denied)));
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).thenApply(done -> {
            List<Uncharged> made = all.stream().map(CompletableFuture::join).toList();
            @Nullable Decision[] known = new Decision[made.size()];
            for (int i = 0; i < known.length; i++) {
                known[i] = made.get(i).before == 0 ? made.get(i).decision : null; // else it is of several charges
            }
            request.remember(setup.denials(), limits, known, calledAtNanos);
            return made.stream().map(Uncharged::decision).toList();
        });
    }

    private CompletableFuture<Uncharged> uncharged(int index, long before, Decision denied) {
        Charge charge = charges.get(index);
        RedisLimiter limiter = limiters.get(index);
        boolean denies = index == taken.size();
        boolean dependsOnOrder = limiter.core().scripts().delays(); // a delay is that of who comes after those before
        if (denies && (before == 0 || dependsOnOrder || isLate())) {
            return CompletableFuture.completedFuture(new Uncharged(denied, before, before));
        }
        if (isLate()) {
            return CompletableFuture.completedFuture(new Uncharged(request.unasked(index), before, before));
        }
        long together = charge.permits() > Long.MAX_VALUE - before ? Long.MAX_VALUE : before + charge.permits();
        return limiter.peekAsync(charge.key(), 0).thenCompose(now -> {
            if (charge.permits() == 0 || isLate() || (now.remaining() >= together && !denies)) {
                return CompletableFuture.completedFuture(new Uncharged(denies ? denied : now, before, together));
            }
            return limiter.peekAsync(charge.key(), together).thenApply(peeked -> {
                if (peeked.outcome() != Outcome.ALLOWED) {
                    LimiterDecision own = LimiterDecision.of(peeked).withPermits(charge.permits());
                    return new Uncharged(own, before, before);
                }
                return denies ? new Uncharged(denied, before, before) : new Uncharged(now, before, together);
            });
        });
    }
}
