package dev.sluice.redis.hold;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The limiters of a store that hold permits now, by their names.
 *
 * <p>Each limiter renews what was taken through it. Those of one name share their counters, so a hold may be ended through
 * another: the one that renews it must be told, or it would add the hold again, and nobody would end that.
 */
public final class LimitersOfOneName {
    private final ConcurrentHashMap<String, Set<LimiterHolds>> holding = new ConcurrentHashMap<>();

    /** Notes whether a limiter holds permits now. */
    void update(String name, LimiterHolds limiter) {
        holding.compute(name, (unused, known) -> {
            Set<LimiterHolds> limiters = known == null ? ConcurrentHashMap.newKeySet() : known;
            if (limiter.isHolding()) {
                limiters.add(limiter);
            } else {
                limiters.remove(limiter);
            }
            return limiters.isEmpty() ? null : limiters;
        });
    }

    /** Those of a name that hold permits. */
    Set<LimiterHolds> of(String name) {
        return holding.getOrDefault(name, Set.of());
    }
}
