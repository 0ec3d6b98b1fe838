package dev.sluice.algorithm;

/**
 * A bucket of size B into which requests pour their permits and which leaks L per W; what would overflow is denied.
 *
 * <pre>
 *    requests    | | |||  |            any shape
 *             \         /
 *              | ~~~~~ |  B            level + c &lt;= B, or denied
 *              |  ~~~  |
 *               \_____/
 *                  '  '  '  '          L per W, evenly
 * </pre>
 *
 * <p>Why there is so little here: the water in a leaky bucket is what is missing from a token bucket of the same size.
 * As a {@code meter} the two decide alike. As a {@code queue} it admits at once but lets the work start only
 * when all water before it has gone, so that starts are one permit's time apart (rounded up to the microsecond), and at
 * most B permits wait.
 *
 * <p>Why a queue refunds the last place only: those behind a place know their start already. If the place were given
 * to another, two would start at once; it stays empty. Once the last has been refunded, the one before it is the last.
 */
public final class LeakyBucket extends TokenBucket {
    private final boolean queues;

    private LeakyBucket(Rate rate, Lineage lineage, boolean queues) {
        super(rate, lineage, queues ? 1 : 0);
        this.queues = queues;
    }

    /** A bucket whose work starts at once. */
    public static LeakyBucket meter(Rate rate, Lineage lineage) {
        return new LeakyBucket(rate, lineage, false);
    }

    /** A bucket that delays work so that it starts at a constant rate. */
    public static LeakyBucket queue(Rate rate, Lineage lineage) {
        return new LeakyBucket(rate, lineage, true);
    }

    @Override
    public State fresh() {
        return queues ? new Queue(this) : new Level(this);
    }

    /** Its count is the number of places, from the first since it was last empty. */
    private static final class Queue extends Level {
        Queue(LeakyBucket limit) {
            super(limit);
        }

        @Override
        public long departsAt(long now) {
            return fullAt(now);
        }

        @Override
        public long mark() {
            return count;
        }

        @Override
        long countAfterReset() {
            return count + 1;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            if (takenAt >= refundableFrom && mark == count) {
                giveBack(now, limit.units(unused));
                count -= unused == cost ? 1 : 0;
            }
        }
    }
}
