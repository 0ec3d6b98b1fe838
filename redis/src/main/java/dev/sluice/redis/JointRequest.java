package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.redis.DenialCache.Denial;
import dev.sluice.redis.DenialCache.Standing;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request to several limiters, and what the denial cache knows of it.
 *
 * <p>When one limiter is known to deny, the request is denied without Redis. The others are answered as they stood when
 * that was asked. A limiter that was not asked with it, because its key is another one, is answered as if nothing of it
 * were in use: an attack that varies one of its keys costs Redis nothing either. Nothing is charged, so that only the
 * numbers of that limiter may be wrong.
 *
 * @param limiters those of the charges, in the same order
 */
record JointRequest(List<Charge> charges, List<RedisLimiter> limiters) {
    /** Charges all limiters or none; none, if the owner of the future completes it first. */
    CompletableFuture<List<Decision>> decide(RedisStore.Setup setup) {
        CompletableFuture<List<Decision>> deciding = ask(setup);
        if (deciding.isDone()) {
            return deciding;
        }
        CompletableFuture<List<Decision>> decided = new CompletableFuture<>();
        deciding.whenComplete((decisions, failure) -> {
            if (failure != null) {
                decided.completeExceptionally(failure);
            } else if (!decided.complete(decisions)) {
                refund(decisions);
            }
        });
        return decided;
    }

    private void refund(List<Decision> decisions) {
        if (decisions.stream().allMatch(Decision::allowed)) { // else nothing was charged
            for (int i = 0; i < size(); i++) {
                var unused = limiters.get(i).refundAsync(charges.get(i).key(), decisions.get(i));
            }
        }
    }

    private CompletableFuture<List<Decision>> ask(RedisStore.Setup setup) {
        boolean twice = chargesACounterTwice(); // what is known of one charge is not what both are told
        @Nullable Decision[] known = twice ? new Decision[size()] : known(setup.denials(), System.nanoTime());
        if (isWhole(known)) {
            setup.counters().answeredHere.add(Math.min(1, known.length));
            return CompletableFuture.completedFuture(observed(known));
        }
        if (setup.connection().isOpen()) {
            return CompletableFuture.completedFuture(new PolicyCharge(setup.memory(), this).decide());
        }
        boolean isOneStep = !twice && setup.connection().isOneMaster();
        MultiLimiterCall call = isOneStep ? MultiLimiterCall.of(setup, this, known) : null;
        return call == null ? new SequentialCharge(this, setup).run() : call.decide();
    }

    private static boolean isWhole(@Nullable Decision[] known) {
        for (Decision decision : known) {
            if (decision == null) {
                return false;
            }
        }
        return true;
    }

    private int size() {
        return charges.size();
    }

    /** The last charge before one that is to the same counter; -1 if there is none. */
    int previousOfSameCounter(int index) {
        for (int i = index - 1; i >= 0; i--) {
            if (charges.get(i).key().equals(charges.get(index).key())
                    && limiterName(i).equals(limiterName(index))) {
                return i;
            }
        }
        return -1;
    }

    private String limiterName(int index) {
        return limiters.get(index).core().calls().limiterName();
    }

    /** Whether two of the charges are to the same counter. */
    boolean chargesACounterTwice() {
        for (int i = 1; i < size(); i++) {
            if (previousOfSameCounter(i) >= 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * The decisions that are known: of all limiters if one denies, else of the shadows that are known to deny; null for
     * the rest.
     */
    private @Nullable Decision[] known(DenialCache denials, long nowNanos) {
        @Nullable Decision[] known = new Decision[size()];
        @Nullable Denial[] denying = new Denial[size()];
        boolean denied = false;
        for (int i = 0; i < known.length; i++) {
            Charge charge = charges.get(i);
            RedisLimiter limiter = limiters.get(i);
            Denial denial =
                    denials.find(limiter.core().calls(), charge.key(), charge.permits(), limiter.percent(), nowNanos);
            if (denial != null) {
                known[i] = denial.decision(nowNanos);
                denying[i] = limiter.isShadow() ? null : denial;
                denied |= !limiter.isShadow();
            }
        }
        for (int i = 0; denied && i < known.length; i++) {
            known[i] = known[i] == null ? standing(i, denying, nowNanos) : known[i];
        }
        return known;
    }

    /** How a limiter stood when it was asked together with one of those that deny. */
    private Decision standing(int index, @Nullable Denial[] denying, long nowNanos) {
        RedisLimiter limiter = limiters.get(index);
        for (Denial denial : denying) {
            Decision known = denial == null
                    ? null
                    : denial.other(limiter.core().calls(), charges.get(index).key(), limiter.percent(), nowNanos);
            if (known != null) {
                return known;
            }
        }
        return unasked(index);
    }

    /** The decision of a limiter that is not asked because another one denies: as if nothing of it were in use. */
    Decision unasked(int index) {
        RedisLimiter limiter = limiters.get(index);
        long capacity = limiter.core().scripts().capacity();
        return LimiterDecision.allowed(0, capacity, capacity * limiter.percent() / 100, 0)
                .withSource(Decision.Source.DENIAL_CACHE);
    }

    /** The limits that the limiters have now. */
    List<List<Limit>> limits() {
        return limiters.stream().map(RedisLimiter::limits).toList();
    }

    /**
     * Notes the decisions of a call made at {@code calledAtNanos} which charged nothing; null for those not asked.
     *
     * @param limits what the limiters had before the call
     */
    void remember(DenialCache denials, List<List<Limit>> limits, @Nullable Decision[] decisions, long calledAtNanos) {
        @Nullable Standing[] all = new Standing[size()];
        for (int i = 0; i < all.length; i++) {
            Decision decision = decisions[i];
            RedisLimiter limiter = limiters.get(i);
            if (decision != null && decision.source() == Decision.Source.REDIS) {
                all[i] = Standing.of(limiter.core().calls(), charges.get(i).key(), limiter.percent(), decision);
            }
        }
        for (int i = 0; i < all.length; i++) {
            Standing own = all[i];
            if (own != null && !own.decision().allowed() && own.limiter().remembersDenials()) {
                List<Standing> others = new ArrayList<>(all.length);
                for (int j = 0; j < all.length; j++) {
                    Standing other = all[j];
                    if (other != null && j != i) {
                        others.add(other);
                    }
                }
                denials.add(own, limits.get(i), List.copyOf(others), calledAtNanos);
            }
        }
    }

    /** The decisions as the caller sees them; the listeners have been called. */
    List<Decision> observed(@Nullable Decision[] decisions) {
        List<Decision> seen = new ArrayList<>(size());
        for (int i = 0; i < decisions.length; i++) {
            Decision decision = decisions[i];
            if (decision == null) {
                throw new IllegalStateException("no decision of " + limiters.get(i));
            }
            seen.add(limiters.get(i).observed(charges.get(i).key(), decision));
        }
        return seen;
    }
}
