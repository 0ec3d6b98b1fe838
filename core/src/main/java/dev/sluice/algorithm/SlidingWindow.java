package dev.sluice.algorithm;

/**
 * At most L permits in any W, counted in N slices of W/N.
 *
 * <pre>
 *            now - W                       now
 *               |                           |
 *   |  k-4  |  k-3  |  k-2  |  k-1  |   k   |        N = 4: the current slice and the four before it
 *       '-- overlaps the window in part
 * </pre>
 *
 * <p>Why N + 1 slices: the window (now - W, now] begins inside slice k-N. Counting it in full ({@code strict}) can only
 * count too much, so never more than L pass in any W. Counting N slices in all, as is often seen, forgets what came in
 * at the end of slice k-N and lets 2L through. {@code weighted} counts slice k-N by the part that still overlaps: close
 * on smooth traffic, up to 2L against an attacker.
 *
 * <p>The sum over the ring is kept, so within a slice a decision is one comparison; when time has moved on, the slices
 * that fell off are taken from it.
 */
public record SlidingWindow(long capacity, long sliceMicros, int slices, boolean weighted, Lineage lineage)
        implements Algorithm {
    @Override
    public State fresh() {
        return new Slices(this);
    }

    /** Slices of the same length keep their counts; of another, each counts as taken at its last instant. */
    @Override
    public State migrate(State old, long now) {
        if (!(old instanceof Slices from)) {
            return Algorithm.super.migrate(old, now);
        }
        Slices to = new Slices(this);
        long oldSlice = from.limit.sliceMicros;
        for (int i = 0; i < from.ring.length; i++) {
            long count = from.ring[from.oldest(i)];
            if (count > 0) {
                long lastInstant = (from.newest - from.limit.slices + i + 1) * oldSlice - 1;
                to.take(Math.min(lastInstant, Math.max(now, from.last)), count);
            }
        }
        to.last = from.last;
        return to;
    }

    private static final class Slices extends State {
        private final SlidingWindow limit;
        /** Permits by slice: N + 1 of them, the newest at {@code cursor}, the oldest right after it. */
        private final long[] ring;

        private int cursor;
        /** The number of the newest slice: slice k spans [k, k + 1) times the slice length. */
        private long newest;

        private long sum;
        private long last = ANCIENT;

        Slices(SlidingWindow limit) {
            this.limit = limit;
            this.ring = new long[limit.slices + 1];
            this.newest = Math.floorDiv(ANCIENT, limit.sliceMicros);
        }

        @Override
        public Algorithm algorithm() {
            return limit;
        }

        @Override
        public boolean admits(long now, long cost) {
            long room = limit.capacity - cost;
            return sum <= room || used(now) <= room;
        }

        @Override
        public boolean take(long stamp, long now, long cost) {
            long last = Math.max(now, this.last);
            long slice = sliceAt(last);
            int gone = fallenOff(slice);
            if (!tryLock(stamp)) {
                return false;
            }
            for (int left = gone; left > 0; left--) {
                cursor = oldest(0);
                sum -= ring[cursor];
                ring[cursor] = 0;
            }
            newest = slice;
            ring[cursor] += cost;
            sum += cost;
            this.last = last;
            return true;
        }

        @Override
        public long latest() {
            return last;
        }

        @Override
        public long used(long now) {
            long time = Math.max(now, last);
            long slice = sliceAt(time);
            int gone = fallenOff(slice);
            long used = sum;
            for (int i = 0; i < gone; i++) {
                used -= ring[oldest(i)];
            }
            if (limit.weighted && gone < ring.length) {
                long partial = ring[oldest(gone)];
                long overlap = (slice + 1) * limit.sliceMicros - time;
                used -= partial - Rate.multiplyDivideUp(partial, overlap, limit.sliceMicros);
            }
            return used;
        }

        @Override
        public long readyAt(long now, long cost) {
            if (admits(now, cost)) {
                return now;
            }
            long most = limit.capacity - cost;
            long count = sum;
            for (int i = 0; i < ring.length; i++) {
                long falling = ring[oldest(i)];
                long fallsOffAt = (newest + i + 1) * limit.sliceMicros;
                if (count - falling <= most && fallsOffAt > now) {
                    return limit.weighted ? fallsOffAt - spared(falling, most - (count - falling)) : fallsOffAt;
                }
                count -= falling;
            }
            return now; // only on words that do not fit together: an empty ring admits
        }

        @Override
        public long freshAt(long now) {
            for (int i = ring.length - 1; i >= 0; i--) {
                if (ring[oldest(i)] != 0) {
                    return (newest + i + 1) * limit.sliceMicros;
                }
            }
            return ANCIENT;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            long slice = Math.floorDiv(takenAt, limit.sliceMicros);
            if (slice >= sliceAt(Math.max(now, last)) - limit.slices && slice <= newest) {
                int at = oldest((int) (slice - (newest - limit.slices)));
                long given = Math.min(unused, ring[at]);
                ring[at] -= given;
                sum -= given;
            }
        }

        @Override
        public State copy() {
            Slices copy = new Slices(limit);
            System.arraycopy(ring, 0, copy.ring, 0, ring.length);
            copy.cursor = cursor;
            copy.newest = newest;
            copy.sum = sum;
            copy.last = last;
            return copy;
        }

        /** The place in the ring of the slice with {@code index} older ones before it. */
        private int oldest(int index) {
            int at = cursor + 1 + index;
            return at < ring.length ? at : at - ring.length;
        }

        private long sliceAt(long time) {
            return time < (newest + 1) * limit.sliceMicros ? newest : Math.floorDiv(time, limit.sliceMicros);
        }

        /** How many slices of the ring are out of the window once {@code slice} is the newest. */
        private int fallenOff(long slice) {
            return (int) Math.max(0, Math.min(slice - newest, ring.length));
        }

        /** How much before its end a slice of {@code count} may be cut so that no more than {@code most} still count. */
        private long spared(long count, long most) {
            return most >= count ? limit.sliceMicros : most * limit.sliceMicros / count;
        }
    }
}
