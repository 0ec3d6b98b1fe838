package dev.sluice.algorithm;

/**
 * At most L permits in each window.
 *
 * <pre>
 *        window        |        window        |
 *   ..aaaaaaaaaadddddd | aaaaaaaaaadd...      |        L = 10
 *   ^ first request    ^ end                  ^ end
 *             '----------------'
 *              up to 2L in here: ten at the end of one window, ten at the start of the next
 * </pre>
 *
 * <p>Why two words are enough: while now is before {@code end} the window goes on, whatever the clock did since it
 * began; from {@code end} on nothing of the past counts. So a clock that steps back leaves the window as it is, and the
 * window is over at its end and not before. A window whose permits were all refunded has not begun; one that keeps some
 * ends as before, also if the request that opened it was refunded.
 */
public record FixedWindow(long capacity, WindowSchedule schedule, Lineage lineage) implements Algorithm {
    FixedWindow(long capacity, WindowSchedule schedule) {
        this(capacity, schedule, Lineage.FIRST);
    }

    @Override
    public State fresh() {
        return new Window(this);
    }

    /**
     * A window that has begun keeps its count. If the period grows, it ends as much later; if it shrinks, it ends as
     * before, but at most one new period from now.
     */
    @Override
    public State migrate(State old, long now) {
        if (!(old instanceof Window from)) {
            return Algorithm.super.migrate(old, now);
        }
        Window to = new Window(this);
        long end = schedule.migratedEnd(from.limit.schedule, from.end, now);
        if (now < end) {
            to.end = end;
            to.count = from.count;
        }
        to.continues(from);
        return to;
    }

    private static final class Window extends ResettableState {
        private final FixedWindow limit;
        private long end = ANCIENT;
        private long count;

        Window(FixedWindow limit) {
            this.limit = limit;
        }

        @Override
        public Algorithm algorithm() {
            return limit;
        }

        @Override
        public boolean admits(long now, long cost) {
            long room = limit.capacity - cost;
            return count <= room || used(now) <= room;
        }

        @Override
        public boolean take(long stamp, long now, long cost) {
            long end = now < this.end ? this.end : limit.schedule.endAfter(now);
            long count = used(now) + cost;
            if (!tryLock(stamp)) {
                return false;
            }
            this.end = end;
            this.count = count;
            return true;
        }

        /** All that is known is that it was charged since the window began. */
        @Override
        public long latest() {
            return limit.schedule.startOf(end);
        }

        @Override
        public long used(long now) {
            return now < end ? count : 0;
        }

        @Override
        public long readyAt(long now, long cost) {
            return admits(now, cost) ? now : end;
        }

        @Override
        public long freshAt(long now) {
            return end;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            boolean sameWindow =
                    isCurrent(mark) && now < end && takenAt < end && takenAt >= limit.schedule.startOf(end);
            if (sameWindow) {
                count -= Math.min(count, unused);
                end = count == 0 ? ANCIENT : end;
            }
        }

        @Override
        public State copy() {
            Window copy = new Window(limit);
            copy.continues(this);
            copy.end = end;
            copy.count = count;
            return copy;
        }

        @Override
        public long bytes() {
            return HeapSize.object(1, 28);
        }
    }
}
