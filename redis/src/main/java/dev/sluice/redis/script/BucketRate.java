package dev.sluice.redis.script;

/**
 * The rate of a bucket, as its script has it.
 *
 * @param weight the units of one permit
 * @param speed the units that are refilled in a microsecond
 */
record BucketRate(long weight, long speed) {
    private static final long FIRST_TAG = 64;
    private static final long CHECK = 89;

    /** The first byte of a state: whether requests are delayed, and a check of the numbers. */
    long tag(boolean delays) {
        return FIRST_TAG + 2 * ((weight % CHECK + speed % CHECK) % CHECK) + (delays ? 1 : 0);
    }

    /** In how many microseconds so many units are refilled, rounded up. */
    long microsFor(long units) {
        return (units + speed - 1) / speed;
    }
}
