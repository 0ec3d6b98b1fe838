package dev.sluice.algorithm;

import java.util.ArrayList;
import java.util.List;

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
 * <p>Only slices with permits are kept, in order, with the sum over them. So within a slice a decision is one
 * comparison; when time has moved on, the slices that fell off are taken from the sum; and a key takes as much memory as
 * it has used slices. If there is no memory for another slice, the newest one moves on to the current one's place: its
 * permits come back later, by one period at most, since the slices before it fall off meanwhile and leave their places.
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
        for (int i = 0; i < from.size; i++) {
            if (from.count(i) > 0) {
                long lastInstant = (from.number(i) + 1) * from.limit.sliceMicros - 1;
                to.take(Math.min(lastInstant, Math.max(now, from.last)), from.count(i));
            }
        }
        to.last = from.last;
        to.continues(from);
        return to;
    }

    private static final class Slices extends ResettableState {
        /** With two, one falls off while the other moves on. */
        private static final int MIN_SLICES = 2;

        private final SlidingWindow limit;
        private Memory memory = Memory.UNBOUNDED;
        /**
         * The number of a slice, and its permits, by turns: a ring, in order from slice {@code head} on. Slice k spans
         * [k, k + 1) times the slice length.
         */
        private long[] ring = new long[2 * MIN_SLICES];

        private int head;
        private int size;
        private long sum;
        private long last = ANCIENT;

        Slices(SlidingWindow limit) {
            this.limit = limit;
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
            if (needsRoom(slice, gone)) {
                if (!makeRoomOrUnlock(stamp, now, cost)) {
                    return false;
                }
                gone = fallenOff(slice);
            }
            for (int i = 0; i < gone; i++) {
                sum -= count(i);
            }
            head = wrap(head + gone, ring.length / 2);
            size -= gone;
            boolean another = size == 0 || (number(size - 1) < slice && size < ring.length / 2);
            size += another ? 1 : 0;
            int newest = at(size - 1);
            ring[newest + 1] = cost + (another ? 0 : ring[newest + 1]);
            ring[newest] = slice;
            sum += cost;
            this.last = last;
            return true;
        }

        /** True in any case: without memory for another slice, the newest moves on. */
        @Override
        public boolean makeRoom(long now, long cost) {
            long slice = sliceAt(Math.max(now, last));
            int gone = fallenOff(slice);
            if (needsRoom(slice, gone)) {
                long[] longer = memory.longer(ring.length, (int) Math.min(2L * (limit.slices + 1), 2L * ring.length));
                if (longer != null) {
                    moveTo(longer);
                }
            }
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
                used -= count(i);
            }
            if (limit.weighted && gone < size && number(gone) == slice - limit.slices) {
                long partial = count(gone);
                long overlap = (slice + 1) * limit.sliceMicros - time;
                used -= partial - Rate.multiplyDivideUp(partial, overlap, limit.sliceMicros);
            }
            return used;
        }

        /** A slice each; or several, which begin at a multiple of their number, so that they move on with the time. */
        @Override
        public List<Span> spans(long now, int most) {
            long time = Math.max(now, last);
            long slice = sliceAt(time);
            long together = limit.slices / (most - 1L) + 1; // the first and the last may have fewer slices
            int next = fallenOff(slice);
            long uncounted = -used(now); // of the oldest slice, if it counts by its overlap
            for (int i = next; i < size; i++) {
                uncounted += count(i);
            }
            List<Span> spans = new ArrayList<>();
            while (next < size) {
                long number = Math.floorDiv(number(next), together);
                long permits = -uncounted;
                uncounted = 0;
                for (; next < size && number(next) < (number + 1) * together; next++) {
                    permits += count(next);
                }
                long from = Math.max(number * together, slice - limit.slices) * limit.sliceMicros;
                long to = (number + 1) * together * limit.sliceMicros;
                if (permits > 0) {
                    spans.add(new Span(time - from, Math.max(0, time - to), permits));
                }
            }
            return spans;
        }

        @Override
        public long readyAt(long now, long cost) {
            if (admits(now, cost)) {
                return now;
            }
            long most = limit.capacity - cost;
            long count = sum;
            for (int i = 0; i < size; i++) {
                long falling = count(i);
                long fallsOffAt = fallsOffAt(i);
                if (count - falling <= most && fallsOffAt > now) {
                    return limit.weighted ? fallsOffAt - spared(falling, most - (count - falling)) : fallsOffAt;
                }
                count -= falling;
            }
            return now; // only on words that do not fit together: an empty ring admits
        }

        @Override
        public long freshAt(long now) {
            for (int i = size - 1; i >= 0; i--) {
                if (count(i) != 0) {
                    return fallsOffAt(i);
                }
            }
            return ANCIENT;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            long from = Math.floorDiv(takenAt, limit.sliceMicros);
            if (!isCurrent(mark) || from < sliceAt(Math.max(now, last)) - limit.slices) {
                return;
            }
            // a later slice only if this one has moved on to its place
            for (int i = 0; i < size; i++) {
                if (number(i) >= from) {
                    long given = Math.min(unused, count(i));
                    ring[at(i) + 1] -= given;
                    sum -= given;
                    return;
                }
            }
        }

        @Override
        public State copy() {
            Slices copy = new Slices(limit);
            copy.continues(this);
            copy.ring = ring.clone();
            copy.head = head;
            copy.size = size;
            copy.sum = sum;
            copy.last = last;
            return copy;
        }

        /** The newest slice stays as it is; the permits of all others count as taken in the last of them. */
        @Override
        public State retired() {
            Slices retired = new Slices(limit);
            retired.continues(this);
            retired.last = last;
            for (int i = fallenOff(sliceAt(last)); i < size; i++) {
                retired.size = Math.max(1, retired.size);
                if (i == size - 1 && retired.sum > 0) {
                    retired.size = 2;
                }
                int at = 2 * (retired.size - 1);
                retired.ring[at] = number(i);
                retired.ring[at + 1] += count(i);
                retired.sum += count(i);
            }
            return retired;
        }

        @Override
        public long bytes() {
            return HeapSize.object(3, 36) + HeapSize.longs(ring.length);
        }

        @Override
        public void growWithin(Memory memory) {
            this.memory = memory;
        }

        /** Whether a charge in {@code slice} finds the ring full, once {@code gone} slices have left it. */
        private boolean needsRoom(long slice, int gone) {
            return 2 * (size - gone) >= ring.length && number(size - 1) < slice;
        }

        private void moveTo(long[] longer) {
            for (int i = 0; i < size; i++) {
                longer[2 * i] = number(i);
                longer[2 * i + 1] = count(i);
            }
            ring = longer;
            head = 0;
        }

        /** The number of the slice with {@code index} older ones before it; any if the words do not fit together. */
        private long number(int index) {
            return word(ring, index, 0);
        }

        /** The permits of the slice with {@code index} older ones before it; any if the words do not fit together. */
        private long count(int index) {
            return word(ring, index, 1);
        }

        private long word(long[] ring, int index, int offset) {
            int at = 2 * wrap(head + index, ring.length / 2) + offset;
            return at >= 0 && at < ring.length ? ring[at] : 0;
        }

        private int at(int index) {
            return 2 * wrap(head + index, ring.length / 2);
        }

        private static int wrap(int at, int length) {
            return at < length ? at : at - length;
        }

        private long fallsOffAt(int index) {
            return (number(index) + limit.slices + 1) * limit.sliceMicros;
        }

        private long sliceAt(long time) {
            if (size > 0) {
                long newest = number(size - 1);
                if (time < (newest + 1) * limit.sliceMicros) {
                    return newest;
                }
            }
            return Math.floorDiv(time, limit.sliceMicros);
        }

        /** How many of the oldest slices are out of the window when {@code slice} is the current one. */
        private int fallenOff(long slice) {
            int gone = 0;
            while (gone < size && number(gone) < slice - limit.slices) {
                gone++;
            }
            return gone;
        }

        /** How much before its end a slice of {@code count} may be cut so that no more than {@code most} still count. */
        private long spared(long count, long most) {
            return most >= count ? limit.sliceMicros : most * limit.sliceMicros / count;
        }
    }
}
