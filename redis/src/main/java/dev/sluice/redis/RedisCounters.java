package dev.sluice.redis;

/**
 * Counts of a store's calls and decisions since it was built.
 *
 * @param asked calls to Redis
 * @param answeredHere decisions made in this process by the denial cache or a permit batch
 * @param timeouts calls without a reply in time
 * @param failures calls that failed otherwise
 * @param allowedByPolicy requests allowed because Redis did not answer
 * @param deniedByPolicy requests denied because Redis did not answer
 * @param decidedLocally requests decided in this process because Redis did not answer
 * @param timesOpened how often the circuit breaker opened
 * @param holdsRestored holds that were no longer in Redis, and were added again
 * @param holdsLost holds that were no longer in Redis, and whose permits others hold
 * @param permitsInBatches permits that were fetched ahead and are not spent now
 * @param maxPermitsInBatches the most permits that may be fetched ahead, with the keys that are hot now
 * @param open whether the circuit breaker is open, so that Redis is not called
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
        long holdsRestored,
        long holdsLost,
        long permitsInBatches,
        long maxPermitsInBatches,
        boolean open) {}
