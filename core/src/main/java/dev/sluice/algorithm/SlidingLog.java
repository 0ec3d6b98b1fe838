package dev.sluice.algorithm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * At most L permits in any W, exactly: every permit is remembered until it is W old.
 *
 * <pre>
 *     oldest                              newest
 *   [ 1.0 | 2.8 | 4.1 | 6.3 | 7.9 ]                       L = 5, W = 10
 *      '------- leaves at 11.0: the sixth permit fits from then on
 * </pre>
 *
 * <p>Why this is O(1): instead of counting the permits in the window, fix the count and ask about the time. With n
 * permits remembered, c more fit if n + c - L of the oldest are gone; the entries are in order, so that is one look at
 * one entry. Permits that have left stay in place until their slot is needed; counting them is a binary search.
 *
 * <p>The log grows with use. If there is no memory for it to grow, it admits as many permits as it can remember, as if
 * that were the limit: never too many, and more again as soon as there is memory.
 *
 * <p>What was in use when the log took the place of a state of another kind counts as taken at that instant, before all
 * that the log remembers. So it is one {@link Run}, however many permits it has. So are the oldest permits of a log that
 * several keys have shared: they count as taken with the last of them.
 */
public record SlidingLog(long capacity, long periodMicros, Lineage lineage) implements Algorithm {
    SlidingLog(long capacity, long periodMicros) {
        this(capacity, periodMicros, Lineage.FIRST);
    }

    @Override
    public State fresh() {
        return new Log(this, new long[(int) Math.min(8, capacity)]);
    }

    /**
     * Every permit keeps its instant; the new numbers are applied to them as if they had always been in force. More
     * permits than the limit, all of one instant, are no different from just as many.
     */
    @Override
    public State migrate(State old, long now) {
        if (old instanceof Log from) {
            return from.copy(this);
        }
        return new Log(this, (Log) fresh(), new Run(now, Math.min(capacity, old.used(now))));
    }

    /** Permits of one instant. */
    private record Run(long instant, long count) {}

    private static final class Log extends ResettableState {
        private final SlidingLog limit;
        private Memory memory = Memory.UNBOUNDED;
        /** Instants of permits, a ring, in order from {@code head} on. */
        private long[] ring;

        private int head;
        private int size;
        /** How many permits the ring may have, as long as it is: beside the run before it, no more than the limit. */
        private int room;
        /** What was taken before all in the ring; null if there is nothing, or if it has left the window. */
        private @Nullable Run before;

        private long last = ANCIENT;

        Log(SlidingLog limit, long[] ring) {
            this.limit = limit;
            this.ring = ring;
            this.room = room();
        }

        /** An empty log behind a run. */
        Log(SlidingLog limit, Log empty, Run before) {
            this(limit, empty.ring);
            this.last = before.instant;
            setBefore(before);
        }

        @Override
        public Algorithm algorithm() {
            return limit;
        }

        @Override
        public boolean admits(long now, long cost) {
            int room = this.room;
            return admits(now, cost, room) || (room < limit.capacity && admits(now, cost, mostRemembered(now)));
        }

        /** Whether the permits fit if the ring may have {@code most}. */
        private boolean admits(long now, long cost, long most) {
            long free = most - size;
            return cost <= free || (cost <= most && entry((int) (cost - free) - 1) <= horizon(now));
        }

        @Override
        public boolean take(long stamp, long now, long cost) {
            long last = Math.max(now, this.last);
            int gone = size + cost > ring.length ? countUpTo(last - limit.periodMicros) : 0;
            if (!tryLock(stamp)) {
                return false;
            }
            if (size - gone + cost > ring.length) {
                if (!makeRoomOrUnlock(stamp, now, cost)) {
                    return false;
                }
                gone = 0;
            }
            this.last = last;
            head = wrap(head + gone, ring.length);
            size -= gone;
            int tail = head + size;
            for (int i = 0; i < cost; i++) {
                ring[wrap(tail + i, ring.length)] = last;
            }
            size += (int) cost;
            if (before != null && before.instant <= last - limit.periodMicros) {
                setBefore(null);
            }
            return true;
        }

        @Override
        public boolean makeRoom(long now, long cost) {
            if (size + cost <= ring.length) {
                return true;
            }
            int gone = countUpTo(horizon(now));
            long needed = size - gone + cost;
            if (needed <= ring.length) {
                return true;
            }
            long[] longer = memory.longer(ring.length, grown(needed));
            if (longer == null) { // by an eighth, or every permit would copy all the others
                longer = memory.longer(ring.length, (int) Math.min(limit.capacity, needed + needed / 8));
            }
            if (longer == null) {
                longer = memory.longer(ring.length, Math.toIntExact(needed));
            }
            if (longer == null) {
                return false;
            }
            moveTo(longer, gone);
            return true;
        }

        @Override
        public long latest() {
            return last;
        }

        @Override
        public long used(long now) {
            return usedBefore(now) + remembered(now);
        }

        /** The spans are as long as each other and begin at multiples of their length, so they move on with the time. */
        @Override
        public List<Span> spans(long now, int most) {
            long time = Math.max(now, last);
            long length = limit.periodMicros / (most - 1) + 1; // the first and the last may be in the window in part
            List<Span> spans = new ArrayList<>();
            Run run = usedBefore(now) > 0 ? before : null;
            int from = countUpTo(horizon(now));
            while (run != null || from < size) {
                long number = Math.floorDiv(run != null ? run.instant : entry(from), length);
                int to = countUpTo((number + 1) * length - 1);
                long fromAgo = Math.min(limit.periodMicros, time - number * length);
                long toAgo = Math.max(0, time - (number + 1) * length);
                spans.add(new Span(fromAgo, toAgo, to - from + (run == null ? 0 : run.count)));
                from = to;
                run = null;
            }
            return spans;
        }

        @Override
        public long readyAt(long now, long cost) {
            if (admits(now, cost)) {
                return now;
            }
            Run before = this.before;
            long mustBeGone = size + cost - mostRemembered(before == null ? now : leavesAt(before));
            if (mustBeGone > size) { // more than can be remembered: there may be memory again when all of this is gone
                return Math.max(now, last) + limit.periodMicros;
            }
            return before == null || mustBeGone > 0
                    ? entry((int) mustBeGone - 1) + limit.periodMicros
                    : leavesAt(before);
        }

        @Override
        public long remaining(long now) {
            return Math.max(0, mostRemembered(now) - remembered(now));
        }

        @Override
        public long freshAt(long now) {
            long leavesAt = leavesAt();
            return leavesAt > last ? leavesAt : ANCIENT; // after a refund, only some that have left may be there
        }

        /** When the newest permit leaves the window. */
        private long leavesAt() {
            if (size > 0) {
                return entry(size - 1) + limit.periodMicros;
            }
            Run before = this.before;
            return before == null ? ANCIENT : leavesAt(before);
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            if (!isCurrent(mark) || takenAt <= horizon(now)) {
                return;
            }
            int from = countUpTo(takenAt - 1);
            int gone = (int) Math.min(unused, countUpTo(takenAt) - from);
            for (int i = from; i < size - gone; i++) {
                ring[wrap(head + i, ring.length)] = entry(i + gone);
            }
            size -= gone;
            if (gone < unused && before != null && takenAt <= before.instant) {
                setBefore(new Run(before.instant, before.count - Math.min(before.count, unused - gone)));
            }
        }

        @Override
        public State copy() {
            return copy(limit);
        }

        /** The newest permits keep their instants, as many as a fresh log has slots for. */
        @Override
        public State retired() {
            Log retired = (Log) limit.fresh();
            retired.continues(this);
            retired.last = last;
            int gone = countUpTo(horizon(last));
            int merged = Math.max(0, size - gone - retired.ring.length);
            retired.size = size - gone - merged;
            for (int i = 0; i < retired.size; i++) {
                retired.ring[i] = entry(gone + merged + i);
            }
            Run first = before != null && before.instant > horizon(last) ? before : null;
            retired.setBefore(
                    merged == 0
                            ? first
                            : new Run(entry(gone + merged - 1), merged + (first == null ? 0 : first.count)));
            return retired;
        }

        @Override
        public long bytes() { // with a run, be there one or not
            return HeapSize.object(4, 32) + HeapSize.longs(ring.length) + HeapSize.object(0, 16);
        }

        @Override
        public void growWithin(Memory memory) {
            this.memory = memory;
        }

        private Log copy(SlidingLog limit) {
            Log copy = new Log(limit, ring.clone());
            copy.head = head;
            copy.size = size;
            copy.setBefore(before);
            copy.last = last;
            copy.continues(this);
            return copy;
        }

        /** Permits taken at this instant or before it have left the window. */
        private long horizon(long now) {
            return Math.max(now, last) - limit.periodMicros;
        }

        /** How many of the oldest entries are at or before {@code instant}. */
        private int countUpTo(long instant) {
            int low = 0;
            int high = size;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (entry(middle) <= instant) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        /** As many permits in the ring as the limit allows beside the run before it, or as there is memory for. */
        private long mostRemembered(long now) {
            long most = limit.capacity - usedBefore(now);
            int length = ring.length;
            return length >= most ? most : Math.min(most, length + Math.max(0, memory.available()) / Long.BYTES);
        }

        private int room() {
            return (int) Math.min(ring.length, limit.capacity - (before == null ? 0 : before.count));
        }

        private void setBefore(@Nullable Run run) {
            before = run == null || run.count == 0 ? null : run;
            room = room();
        }

        /** The permits of the run before the ring that are in the window. */
        private long usedBefore(long now) {
            Run before = this.before;
            return before != null && before.instant > horizon(now) ? before.count : 0;
        }

        /** The permits of the ring that are in the window. */
        private long remembered(long now) {
            return (long) size - countUpTo(horizon(now));
        }

        private long leavesAt(Run run) {
            return run.instant + limit.periodMicros;
        }

        /** The length of a ring for {@code needed} permits, with room for more if the limit allows them. */
        private int grown(long needed) {
            return (int) Math.max(needed, Math.min(limit.capacity, 2L * ring.length));
        }

        private void moveTo(long[] longer, int gone) {
            for (int i = gone; i < size; i++) {
                longer[i - gone] = entry(i);
            }
            ring = longer;
            room = room();
            head = 0;
            size -= gone;
        }

        /** The entry with {@code index} older ones before it; any number if the words do not fit together. */
        private long entry(int index) {
            long[] ring = this.ring;
            int at = wrap(head + index, ring.length);
            return at >= 0 && at < ring.length ? ring[at] : 0;
        }

        private static int wrap(int at, int length) {
            return at < length ? at : at - length;
        }
    }
}
