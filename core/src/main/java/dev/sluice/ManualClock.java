package dev.sluice;

import java.time.Duration;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A clock for tests: it stands still until the test moves it, and moving it runs what has become due.
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock();
 * Limiter limiter = Limiter.builder(Limit.slidingLog(1, Duration.ofMinutes(1))).clock(clock).build();
 * limiter.tryAcquire("k");
 * CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 1, Duration.ofMinutes(2));
 * clock.advance(Duration.ofMinutes(1));   // waiting is done now, and nobody slept
 * }</pre>
 *
 * <p>Safe for use by any number of threads. Actions run on the thread that advances the clock, one after another and
 * without a lock, so they may use the clock themselves: schedule, cancel and even advance it.
 */
public final class ManualClock implements Ticker, Scheduler {
    /** An action and its time; those of the same time run in the order in which they were scheduled. */
    private record Alarm(long atNanos, long number, Runnable action) {}

    private final TreeSet<Alarm> alarms =
            new TreeSet<>(Comparator.comparingLong(Alarm::atNanos).thenComparingLong(Alarm::number));
    private long nowNanos;
    private long scheduled;

    /** A clock that reads zero. */
    public ManualClock() {}

    @Override
    public synchronized long nanos() {
        return nowNanos;
    }

    /**
     * Runs {@code action} when the clock has been advanced by the delay; after a delay of zero, or less, with the next
     * {@link #advance}, or with the one that is under way.
     */
    @Override
    public synchronized Runnable schedule(long delayMicros, Runnable action) {
        long delayNanos = TimeUnit.MICROSECONDS.toNanos(Math.max(0, delayMicros));
        Alarm alarm = new Alarm(saturatedSum(nowNanos, delayNanos), scheduled++, action);
        alarms.add(alarm);
        return () -> cancel(alarm);
    }

    /**
     * Moves the clock forward, and runs on this thread what becomes due on the way, in order, each at its own time. That
     * includes what these actions schedule, as far as it becomes due too. Two threads that advance the clock at once add
     * up. An action that throws ends the call, with the clock at the time of that action and later actions still set.
     *
     * @throws IllegalArgumentException if {@code time} is negative, or more than the clock can count
     */
    public void advance(Duration time) {
        long left = nanos(time);
        synchronized (this) {
            if (saturatedSum(nowNanos, left) == Long.MAX_VALUE) {
                throw new IllegalArgumentException("a clock counts 292 years, stood at " + Duration.ofNanos(nowNanos)
                        + " and cannot be advanced by " + time);
            }
        }
        while (true) {
            Runnable action;
            synchronized (this) {
                Alarm next = nextWithin(left);
                long step = next == null ? left : next.atNanos - nowNanos;
                nowNanos += step;
                left -= step;
                if (next == null) {
                    return;
                }
                alarms.remove(next);
                action = next.action;
            }
            action.run();
        }
    }

    /** Sets the clock back. What is scheduled stays due at the time that it was scheduled for. */
    public synchronized void stepBack(Duration time) {
        long nanos = nanos(time);
        if (nowNanos < Long.MIN_VALUE + nanos) {
            throw new IllegalArgumentException("a clock counts 292 years, stood at " + Duration.ofNanos(nowNanos)
                    + " and cannot be set back by " + time);
        }
        nowNanos -= nanos;
    }

    /** How many actions are scheduled and have neither run nor been canceled. */
    public synchronized int pending() {
        return alarms.size();
    }

    private synchronized void cancel(Alarm alarm) {
        alarms.remove(alarm);
    }

    private @Nullable Alarm nextWithin(long nanos) {
        Alarm next = alarms.isEmpty() ? null : alarms.first();
        return next == null || next.atNanos > nowNanos + nanos ? null : next;
    }

    private static long nanos(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time must not be negative, was " + time);
        }
        return TimeUnit.NANOSECONDS.convert(time);
    }

    private static long saturatedSum(long nanos, long more) {
        return nanos > Long.MAX_VALUE - more ? Long.MAX_VALUE : nanos + more;
    }
}
