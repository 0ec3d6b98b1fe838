package dev.sluice.redis;

/**
 * What a store has been doing, for an operator to see.
 *
 * @param asked decisions asked of Redis
 * @param answeredHere decisions answered in this process: denials that still held, and permits leased before
 * @param timeouts calls that Redis did not answer in time
 * @param failures calls that failed otherwise
 * @param allowedByPolicy requests let through because Redis did not answer
 * @param deniedByPolicy requests denied because Redis did not answer
 * @param decidedLocally requests decided in this process because Redis did not answer
 * @param timesOpened how often Redis was given up on for a while
 * @param open whether it is given up on now
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
        boolean open) {}
