package dev.sluice.algorithm;

import org.jspecify.annotations.Nullable;

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
 *
 * <p>A key may have taken its permits from a counter that it shared with others, and then gets one of its own. How many
 * of the permits there are its own is not known, so all of them count as its own until they are released: they are a
 * {@link Loan}, which only ever falls.
 */
public record Concurrency(long capacity, Lineage lineage) implements Algorithm {
    Concurrency(long capacity) {
        this(capacity, Lineage.FIRST);
    }

    @Override
    public State fresh() {
        return new Held(this, 0, null, null, 0);
    }

    /** Held permits stay held. Nobody could release what a rate limit has used, so it does not count here. */
    @Override
    public State migrate(State old, long now) {
        return old instanceof Held from ? new Held(this, from.held, from.lent, from.owed, from.generation) : fresh();
    }

    /** The permits that are held of a retired counter. */
    private static final class Loan {
        private volatile long permits;

        Loan(long permits) {
            this.permits = permits;
        }
    }

    private static final class Held extends State {
        private final Concurrency limit;
        private long held;
        /** What is held here, for the successors of this retired state; null if it has none. */
        private final @Nullable Loan lent;
        /** What is held of the state that this one is the successor of; null if it is nobody's. */
        private final @Nullable Loan owed;

        /** How often it was reset: what was charged before a reset is not given back after it. */
        private final int generation;

        Held(Concurrency limit, long held, @Nullable Loan lent, @Nullable Loan owed, int generation) {
            this.limit = limit;
            this.held = held;
            this.lent = lent;
            this.owed = owed;
            this.generation = generation;
        }

        @Override
        public Algorithm algorithm() {
            return limit;
        }

        @Override
        public boolean admits(long now, long cost) {
            return cost <= limit.capacity - used(now);
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
            return owed == null ? held : held + owed.permits;
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
            return used(now) == 0 ? ANCIENT : NEVER;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            if (unused == cost) {
                release(mark, cost);
            }
        }

        @Override
        public void release(long mark, long cost) {
            if (mark == generation) {
                held -= Math.min(held, cost);
                if (lent != null) {
                    lent.permits = held;
                }
            }
        }

        @Override
        public long mark() {
            return generation;
        }

        @Override
        public State cleared() {
            return new Held(limit, 0, null, null, generation + 1);
        }

        @Override
        public State copy() {
            return new Held(limit, held, lent, owed, generation);
        }

        @Override
        public State retired() {
            return new Held(limit, held, new Loan(held), owed, generation);
        }

        /** Permits are held of this state or of the one before it, but not of both. */
        @Override
        public State successor() {
            Loan before = owed != null && owed.permits > 0 ? owed : null;
            return new Held(limit, 0, null, held > 0 ? lent : before, 0);
        }

        @Override
        public boolean isHeldTwice() {
            return held > 0 && owed != null && owed.permits > 0;
        }

        @Override
        public long bytes() {
            return HeapSize.object(3, 20);
        }
    }
}
