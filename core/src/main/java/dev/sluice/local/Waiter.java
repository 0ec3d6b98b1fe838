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

    private final @Nullable WaitQueue queue;

    // ---- Under the lock of the queue

    /** Grows with each arrival. */
    long arrival;
    /** When its turn comes, by the last forecast; never if it was in none. */
    long turn = State.NEVER;

    Runnable cancelAlarm = () -> {};

    Waiter(WaitQueue queue, String key, long permits, int percent, long deadline) {
        this.queue = queue;
        this.key = key;
        this.permits = permits;
        this.percent = percent;
        this.deadline = deadline;
    }

    /** A request that does not wait: only to ask when its turn would be. */
    Waiter(long permits, int percent) {
        this.queue = null;
        this.key = "";
        this.permits = permits;
        this.percent = percent;
        this.deadline = State.NEVER;
    }

    /** Whether a turn at that instant comes before the deadline. */
    boolean isInTime(long turn) {
        return turn != State.NEVER && turn <= deadline;
    }

    @Override
    protected Runnable withdraw() {
        return queue == null ? () -> {} : queue.leave(this);
    }
}
