package dev.sluice.algorithm;

/**
 * At most L permits held at once.
 *
 * <pre>
 *   held  3  |      ####
 *         2  |   #######   ###
 *         1  | ###############      L = 3: time plays no part, only releases free a permit
 * </pre>
 *
 * <p>A held permit is freed when its request is released, or refunded as a whole. A refund of a part leaves it held, so
 * that the release that follows does not free it twice.
 */
public record Concurrency(long capacity, Lineage lineage) implements Algorithm {
    Concurrency(long capacity) {
        this(capacity, Lineage.FIRST);
    }

    @Override
    public State fresh() {
        return new Held(this, 0);
    }

    /** Held permits stay held. Nobody could release what a rate limit has used, so it does not count here. */
    @Override
    public State migrate(State old, long now) {
        return new Held(this, old instanceof Held from ? from.held : 0);
    }

    private static final class Held extends State {
        private final Concurrency limit;
        private long held;

        Held(Concurrency limit, long held) {
            this.limit = limit;
            this.held = held;
        }

        @Override
        public Algorithm algorithm() {
            return limit;
        }

        @Override
        public boolean admits(long now, long cost) {
            return cost <= limit.capacity - held;
        }

        @Override
        public boolean take(long stamp, long now, long cost) {
            long held = this.held + cost;
            if (!tryLock(stamp)) {
                return false;
            }
            this.held = held;
            return true;
        }

        @Override
        public long used(long now) {
            return held;
        }

        @Override
        public long readyAt(long now, long cost) {
            return admits(now, cost) ? now : NEVER;
        }

        @Override
        public long soonestAt(int percent, long now, long cost) {
            return fits(percent, cost) ? now : NEVER;
        }

        @Override
        public long freshAt(long now) {
            return held == 0 ? ANCIENT : NEVER;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            if (unused == cost) {
                release(cost);
            }
        }

        @Override
        public void release(long cost) {
            held -= Math.min(held, cost);
        }

        @Override
        public State copy() {
            return new Held(limit, held);
        }
    }
}
