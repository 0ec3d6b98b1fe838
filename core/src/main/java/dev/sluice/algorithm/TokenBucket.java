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
 */
public sealed class TokenBucket extends Rate implements Algorithm permits LeakyBucket {
    public TokenBucket(Rate rate) {
        super(rate);
    }

    @Override
    public State fresh() {
        return new Level(this);
    }

    @Override
    public long capacity() {
        return capacity;
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
        return to;
    }

    static class Level extends State {
        private final TokenBucket limit;
        private long missing;
        private long last = ANCIENT;

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
            long missing = missingAt(now) + limit.units(cost);
            long last = Math.max(now, this.last);
            if (!tryLock(stamp)) {
                return false;
            }
            this.missing = missing;
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
        public final void refund(long now, long takenAt, long mark, long cost) {
            missing -= Math.min(missing, limit.left(limit.units(cost), Math.max(now, last) - takenAt));
        }

        @Override
        public final State copy() {
            Level copy = (Level) limit.fresh();
            copy.missing = missing;
            copy.last = last;
            return copy;
        }

        @Override
        public final long bytes() {
            return HeapSize.object(1, 24);
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
