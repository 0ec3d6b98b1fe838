package dev.sluice.algorithm;

/**
 * A bucket of B tokens that refills at L per W; a request takes its tokens or is denied.
 *
 * <pre>
 *   B |\      /|                      starts full
 *     | \    / |     /                refills in a straight line
 *     |  \__/  |    /                 a burst may take all B at once
 *   0 |        |___/
 * </pre>
 *
 * <p>Why it counts what is missing and not what is there: a full bucket is then zero whatever its size, so a key that
 * has used nothing needs no memory, and a limit can be changed without touching what was used. Over any t at most
 * B + L*t/W permits pass. The arithmetic is in whole {@linkplain Rate units}; only results are rounded.
 *
 * <p>What a refund gives back: a request of c that found m missing left m + c behind. Time and refunds lower that; what
 * is left of it now is still missing whatever else was taken, because taking only adds. So that much, up to c, can be
 * given back, and the bucket is never fuller than without the request. Refunds of requests that came later do not lower
 * it; a state cannot tell them apart, except where the last of all requests is refunded as a whole: that is undone, and
 * leaves no trace.
 *
 * <pre>
 *   missing
 *     m + c |  |\                    given back = m + c - speed * (now - s) - refunded since s,
 *           |  | \   |\              but not less than 0 and not more than c
 *         m |  |  \__| \
 *           +--s-------now
 * </pre>
 *
 * <p>So a state counts what it has refunded, in units, since nothing was last missing. What was taken before that has
 * come back by itself, and is not refunded: {@code refundableFrom} says since when that is. A state that was dropped and
 * made anew knows no more than that, and need not.
 */
public sealed class TokenBucket extends Rate implements Algorithm permits LeakyBucket {
    private final Lineage lineage;
    /** How much each charge adds to the count of a state. */
    private final long countPerCharge;

    public TokenBucket(Rate rate, Lineage lineage) {
        this(rate, lineage, 0);
    }

    TokenBucket(Rate rate, Lineage lineage, long countPerCharge) {
        super(rate);
        this.lineage = lineage;
        this.countPerCharge = countPerCharge;
    }

    @Override
    public State fresh() {
        return new Level(this);
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public Lineage lineage() {
        return lineage;
    }

    /** What is missing stays missing, be it more than the bucket holds, and comes back at the new rate. */
    @Override
    public State migrate(State old, long now) {
        if (!(old instanceof Level from)) {
            return Algorithm.super.migrate(old, now);
        }
        Level to = (Level) fresh();
        to.missing = converted(from.missingAt(now), from.limit);
        to.last = Math.max(now, from.last);
        if (lineage.equals(from.limit.lineage())) {
            to.count = from.count;
            to.refundableFrom = from.refundableFrom;
        }
        return to;
    }

    static class Level extends State {
        final TokenBucket limit;
        private long missing;
        private long last = ANCIENT;
        /** Units refunded since nothing was last missing. */
        long count;
        /** What was taken before this instant is not refunded. */
        long refundableFrom = ANCIENT;

        Level(TokenBucket limit) {
            this.limit = limit;
        }

        @Override
        public final Algorithm algorithm() {
            return limit;
        }

        @Override
        public final boolean admits(long now, long cost) {
            long room = limit.capacityUnits - limit.units(cost);
            return missing <= room || missingAt(now) <= room;
        }

        @Override
        public final boolean take(long stamp, long now, long cost) {
            long missing = missingAt(now);
            long last = Math.max(now, this.last);
            boolean begins = missing == 0 && last > this.last;
            if (!tryLock(stamp)) {
                return false;
            }
            if (begins) {
                count = 0;
                refundableFrom = Math.max(refundableFrom, last);
            }
            count += limit.countPerCharge;
            this.missing = missing + limit.units(cost);
            this.last = last;
            return true;
        }

        @Override
        public final long latest() {
            return last;
        }

        @Override
        public final long used(long now) {
            return limit.permits(missingAt(now));
        }

        @Override
        public final long readyAt(long now, long cost) {
            long tooMuch = missingAt(now) + limit.units(cost) - limit.capacityUnits;
            return tooMuch <= 0 ? now : Math.max(now, last) + limit.microsFor(tooMuch);
        }

        @Override
        public final long freshAt(long now) {
            return missing == 0 ? ANCIENT : last + limit.microsFor(missing);
        }

        @Override
        public long mark() {
            return missing + count;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            if (takenAt < refundableFrom || mark <= count) {
                return;
            }
            boolean lastCharge = unused == cost && limit.left(mark - count, last - takenAt) == missing;
            long left = limit.left(mark - count, Math.max(now, last) - takenAt);
            long given = giveBack(now, Math.min(left, limit.units(unused)));
            count += lastCharge ? 0 : given;
            if (count > MAX_UNITS - limit.capacityUnits) { // marks would not stay exact
                count = 0;
                refundableFrom = Math.max(now, last) + 1;
            }
        }

        /** Gives back {@code units}, at most what is missing; how many. */
        final long giveBack(long now, long units) {
            long given = Math.min(units, missingAt(now));
            missing -= given;
            return given;
        }

        @Override
        public final State copy() {
            Level copy = (Level) limit.fresh();
            copy.missing = missing;
            copy.last = last;
            copy.count = count;
            copy.refundableFrom = refundableFrom;
            return copy;
        }

        @Override
        public final State cleared() {
            Level cleared = (Level) limit.fresh();
            cleared.last = last;
            cleared.refundableFrom = refundableFrom;
            cleared.count = countAfterReset();
            if (cleared.count > MAX_UNITS - limit.capacityUnits) {
                cleared.count = 0;
                cleared.refundableFrom = last + 1;
            }
            return cleared;
        }

        @Override
        public final State restarted() {
            return limit.fresh();
        }

        /** At least as high as all marks so far, so that nothing of before is refunded. */
        long countAfterReset() {
            return missing + count;
        }

        @Override
        public final long bytes() {
            return HeapSize.object(1, 40);
        }

        /** When nothing will be missing any more; now if nothing is. */
        final long fullAt(long now) {
            long missing = missingAt(now);
            return missing == 0 ? now : Math.max(now, last) + limit.microsFor(missing);
        }

        private long missingAt(long now) {
            return limit.left(missing, now - last);
        }
    }
}
