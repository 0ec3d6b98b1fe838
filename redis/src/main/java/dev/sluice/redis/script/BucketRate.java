package dev.sluice.redis.script;

/**
 * The rate of a bucket, as its script has it.
 *
 * @param weight the units of one permit
 * @param speed the units that are refilled in a microsecond
 */
record BucketRate(long weight, long speed) {
    /** In how many microseconds so many units are refilled, rounded up. */
    long microsFor(long units) {
        return (units + speed - 1) / speed;
    }
}
