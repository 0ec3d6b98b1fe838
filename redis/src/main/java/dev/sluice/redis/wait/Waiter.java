package dev.sluice.redis.wait;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import dev.sluice.spi.PendingDecision;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request that waits for permits. If its owner completes the future, it leaves the queue. */
final class Waiter extends PendingDecision {
    final long permits;
    final int percent;
    /** Grows with each request of the limiter that waits. */
    final long arrival;

    final long deadlineNanos;

    /** The alarm of its deadline; under the lock of the queue. */
    Runnable cancelAlarm = () -> {};

    private volatile @Nullable WaitQueue queue;
    private volatile boolean withdrawn;

    Waiter(long permits, int percent, long arrival, long deadlineNanos) {
        this.permits = permits;
        this.percent = percent;
        this.arrival = arrival;
        this.deadlineNanos = deadlineNanos;
    }

    /** The time from {@code nanos} to its deadline; negative if that is over. */
    long microsLeft(long nanos) {
        return Math.floorDiv(deadlineNanos - nanos, TimeUnit.MICROSECONDS.toNanos(1));
    }

    /** Whether this waiter, while it waits, goes before {@code other}. */
    boolean bars(Waiter other) {
        return percent >= other.percent && arrival < other.arrival;
    }

    /** What it is told if others stand before it, who were denied. */
    Decision refusal(Decision denied, long retryAfterMicros) {
        return LimiterDecision.denied(
                        Outcome.DENIED,
                        permits,
                        denied.limit(),
                        0,
                        Math.max(retryAfterMicros, denied.retryAfterMicros()),
                        denied.resetAfterMicros())
                .withSource(denied.source());
    }

    /** What it is told if other limits are in force, which it does not fit. */
    Decision never(List<Limit> limits) {
        long capacity = limits.stream().mapToLong(Limit::capacity).min().orElse(0);
        return LimiterDecision.denied(Outcome.NEVER, permits, capacity, 0, Decision.NEVER_MICROS, 0);
    }

    /** Notes the queue that it is about to join; false if its owner has completed the future. */
    boolean joins(WaitQueue queue) {
        this.queue = queue;
        return !withdrawn;
    }

    /** Whether it has joined a queue. */
    boolean isQueued() {
        return queue != null;
    }

    /** Whether its owner has completed the future. */
    boolean isWithdrawn() {
        return withdrawn;
    }

    @Override
    protected Runnable withdraw() {
        withdrawn = true; // before the queue is read: either this call or the one that joins it sees the other
        WaitQueue joined = queue;
        return joined == null ? () -> {} : joined.leave(this);
    }
}
