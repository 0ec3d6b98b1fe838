package dev.sluice.redis;

import java.util.Map;

/**
 * Counts of a store's calls and decisions since it was built.
 *
 * @param asked decisions that Redis was asked for, a request to several limiters at once being one
 * @param answeredHere decisions made in this process by the denial cache or a permit batch
 * @param timeouts calls without a reply in time
 * @param failures calls that failed otherwise
 * @param allowedByPolicy requests allowed because Redis did not answer
 * @param deniedByPolicy requests denied because Redis did not answer
 * @param decidedLocally requests decided in this process because Redis did not answer
 * @param timesOpened how often a circuit breaker opened
 * @param open whether the circuit breaker of a master is open, so that it is not called, or there is no connection
 * @param calls commands that were sent to Redis: for decisions, refunds, releases, renewals and resets
 * @param late replies that came after the timeout; with Jedis none is waited for
 * @param refusals calls that were not sent because as many as {@link RedisStoreBuilder#maxInFlight} were under way
 * @param inFlight calls that wait for Redis now
 * @param reconnects connections that the store made in place of an earlier one
 * @param breakers the state of the circuit breaker of each master that was called, by {@code host:port}
 * @param holdsRestored holds that were no longer in Redis, and were added again
 * @param holdsLost holds that were no longer in Redis, and whose permits others hold
 * @param permitsInBatches permits that were fetched ahead and are not spent now
 * @param maxPermitsInBatches the most permits that may be fetched ahead, with the keys that are hot now
 * @param damagedStates states in Redis that could not be read, and were replaced by fresh ones
 */
public record RedisCounters(
        long asked,
        long answeredHere,
        long timeouts,
        long failures,
        long allowedByPolicy,
        long deniedByPolicy,
        long decidedLocally,
        long timesOpened,
        boolean open,
        long calls,
        long late,
        long refusals,
        long inFlight,
        long reconnects,
        Map<String, BreakerState> breakers,
        long holdsRestored,
        long holdsLost,
        long permitsInBatches,
        long maxPermitsInBatches,
        long damagedStates) {
    /** Whether a master is called. */
    public enum BreakerState {
        CLOSED,
        /** It is not called. */
        OPEN,
        /** The next call, or the one under way, decides whether it is called again. */
        HALF_OPEN
    }
}
