package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.redis.DenialCache.Standing;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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
 * @param limits the limits that the limiters have now
 */
record JointRequest(List<Charge> charges, List<RedisLimiter> limiters, List<List<Limit>> limits) {
    static JointRequest of(List<Charge> charges, List<RedisLimiter> limiters) {
        return new JointRequest(
                charges, limiters, limiters.stream().map(RedisLimiter::limits).toList());
    }

    /** Charges all limiters or none. */
    CompletableFuture<List<Decision>> decide(RedisStore.Setup setup) {
        @Nullable Decision[] known = known(setup.denials(), System.nanoTime());
        if (Arrays.stream(known).allMatch(Objects::nonNull)) {
            setup.counters().answeredHere.add(Math.min(1, known.length));
            return CompletableFuture.completedFuture(observed(known));
        }
        if (setup.connection().isOpen()) {
            return CompletableFuture.completedFuture(new PolicyCharge(setup.memory(), this).decide());
        }
        MultiLimiterCall call = setup.connection().isOneMaster() ? MultiLimiterCall.of(setup, this, known) : null;
        return call == null ? new SequentialCharge(this, setup).run() : call.decide();
    }

    private int size() {
        return charges.size();
    }

    /**
     * The decisions that are known: of all limiters if one denies, else of the shadows that are known to deny; null for
     * the rest.
     */
    private @Nullable Decision[] known(DenialCache denials, long nowNanos) {
        @Nullable Decision[] known = new Decision[size()];
        boolean denied = false;
        List<Standing> others = new ArrayList<>();
        for (int i = 0; i < known.length; i++) {
            Charge charge = charges.get(i);
            RedisLimiter limiter = limiters.get(i);
            ScriptCalls calls = limiter.core().calls();
            known[i] = denials.find(calls, charge.key(), charge.permits(), limiter.percent(), nowNanos);
            if (known[i] != null && !limiter.isShadow()) {
                denied = true;
                others.addAll(denials.findOthers(calls, charge.key(), charge.permits(), limiter.percent(), nowNanos));
            }
        }
        for (int i = 0; denied && i < known.length; i++) {
            known[i] = known[i] == null ? standing(i, others) : known[i];
        }
        return known;
    }

    private Decision standing(int index, List<Standing> known) {
        RedisLimiter limiter = limiters.get(index);
        for (Standing each : known) {
            if (each.isOf(limiter.core().calls(), charges.get(index).key(), limiter.percent())) {
                return each.decision();
            }
        }
        long capacity = limiter.core().scripts().capacity();
        return LimiterDecision.allowed(0, capacity, capacity * limiter.percent() / 100, 0)
                .withSource(Decision.Source.DENIAL_CACHE);
    }

    /** Notes the decisions of a call made at {@code calledAtNanos} which charged nothing; null for those not asked. */
    void remember(DenialCache denials, @Nullable Decision[] decisions, long calledAtNanos) {
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
