package dev.sluice.local;

import dev.sluice.algorithm.State;
import dev.sluice.spi.PendingDecision;
import org.jspecify.annotations.Nullable;

/** A call that waits in a queue. If its owner completes the future, it leaves the queue. */
final class Waiter extends PendingDecision {
    final String key;
    final long permits;
    final int percent;
    /** When it stops waiting, on the limiter's clock. */
    final long deadline;

    /** The last queue that it has joined. */
    private volatile @Nullable WaitQueue queue;

    // ---- Under the lock of the queue

    /** Grows with each arrival. */
    long arrival;
    /** When its turn comes, by the last forecast; never if it was in none. */
    long turn = State.NEVER;

    Runnable cancelAlarm = () -> {};

    Waiter(String key, long permits, int percent, long deadline) {
        this.key = key;
        this.permits = permits;
        this.percent = percent;
        this.deadline = deadline;
    }

    /** A request that does not wait: only to ask when its turn would be. */
    Waiter(long permits, int percent) {
        this("", permits, percent, State.NEVER);
    }

    /** Notes that it has joined a queue; leaves it again if its owner has completed the future meanwhile. */
    void joined(WaitQueue queue) {
        this.queue = queue;
        if (isClaimed()) {
            queue.leave(this).run();
        }
    }

    /** Whether a turn at that instant comes before the deadline. */
    boolean isInTime(long turn) {
        return turn != State.NEVER && turn <= deadline;
    }

    @Override
    protected Runnable withdraw() {
        WaitQueue joined = queue;
        return joined == null ? () -> {} : joined.leave(this);
    }
}
