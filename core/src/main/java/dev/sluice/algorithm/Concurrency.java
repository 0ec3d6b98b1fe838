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
 * {@link Loan}, which only ever falls. That counter may itself have come after another of which permits are held, and so
 * on; each of them has a loan, and the loans are a chain.
 */
public record Concurrency(long capacity, Lineage lineage) implements Algorithm {
    Concurrency(long capacity) {
        this(capacity, Lineage.FIRST);
    }

    @Override
    public State fresh() {
        return new Held(this, 0, null, null);
    }

    /** Held permits stay held. Nobody could release what a rate limit has used, so it does not count here. */
    @Override
    public State migrate(State old, long now) {
        return old instanceof Held from ? from.with(this, from.lent) : fresh();
    }

    /** The permits that are held of a retired counter. */
    private static final class Loan {
        private volatile long permits;
        /** The loan of the counter that retired before this one; null if nothing is held of it. */
        private volatile @Nullable Loan before;

        Loan(long permits, @Nullable Loan before) {
            this.permits = permits;
            this.before = before;
        }

        /** The permits of this loan and of all before it. */
        long sum() {
            long sum = permits;
            for (Loan loan = before(); loan != null; loan = loan.before()) {
                sum += loan.permits;
            }
            return sum;
        }

        /** This loan, or the next one before it of which permits are held; null if there is none. */
        @Nullable
        Loan outstanding() {
            return permits > 0 ? this : before();
        }

        /** Forgets the loans right before it that have ended: nothing is ever added to one. */
        private @Nullable Loan before() {
            Loan known = before;
            Loan next = known;
            while (next != null && next.permits == 0) {
                next = next.before;
            }
            if (next != known) {
                before = next;
            }
            return next;
        }
    }

    private static final class Held extends ResettableState {
        private final Concurrency limit;
        private long held;
        /** What is held here, for the successors of this retired state; null if it has none. */
        private final @Nullable Loan lent;
        /** What is held of the states that this one is the successor of; null if nothing is. */
        private @Nullable Loan owed;

        Held(Concurrency limit, long held, @Nullable Loan lent, @Nullable Loan owed) {
            this.limit = limit;
            this.held = held;
            this.lent = lent;
            this.owed = owed;
        }

        private Held with(Concurrency limit, @Nullable Loan lent) {
            Held same = new Held(limit, held, lent, owed);
            same.continues(this);
            return same;
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
            if (owed != null) {
                owed = owed.outstanding();
            }
            return true;
        }

        @Override
        public long used(long now) {
            Loan owed = this.owed;
            return owed == null ? held : held + owed.sum();
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

        /** What is held of other states counts for a state that is made anew, too. */
        @Override
        public long droppableAt(long now) {
            return held == 0 ? ANCIENT : NEVER;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            if (unused == cost) {
                release(mark, cost);
            }
        }

        @Override
        public void release(long mark, long cost) {
            if (isCurrent(mark)) {
                held -= Math.min(held, cost);
                if (lent != null) {
                    lent.permits = held;
                }
            }
        }

        @Override
        public State copy() {
            return with(limit, lent);
        }

        @Override
        public State retired() {
            return with(limit, new Loan(held, owed));
        }

        @Override
        public State successor() {
            return new Held(limit, 0, null, lent == null ? null : lent.outstanding());
        }

        @Override
        public long bytes() {
            return HeapSize.object(3, 20);
        }
    }
}
