package dev.sluice;

import dev.sluice.algorithm.Pace;
import dev.sluice.algorithm.Rate;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Spreads calls over time by making the caller wait.
 *
 * <pre>{@code
 * Pacer pacer = Pacer.perSecond(2);
 * pacer.acquire(5);                    // idle: goes at once
 * Duration waited = pacer.acquire(2);  // pays for those five: 2.5 s
 * }</pre>
 *
 * <p>A call that finds the pacer idle goes at once, however many permits it asks for, and the next one pays for it. Idle
 * time is saved, up to one second's worth of permits. With a warm-up, idle time makes the pacer cold instead: it starts
 * at a third of its rate and rises to the full rate over the time given.
 *
 * <p>Safe for use by any number of threads; callers go in the order in which they asked, unless the rate is changed.
 *
 * <p>Every rate of up to 1,152,921,504,606 permits per period is kept exactly. A faster one is accepted if its permits
 * share factors with the microseconds of the period that bring it below that number, and refused otherwise.
 */
public final class Pacer {
    private final Duration warmUp;
    private final Ticker ticker;
    private final Sleeper sleeper;
    private final Pace pace;
    private final ReentrantLock lock = new ReentrantLock();
    private Limit.TokenBucket rate;

    /** Waits on the clock of the pacer. */
    @FunctionalInterface
    private interface Sleeper {
        /** Waits for so long; with {@code interruptibly} it returns false, early, if the thread is interrupted. */
        boolean sleep(long micros, boolean interruptibly);
    }

    private Pacer(Limit.TokenBucket rate, Duration warmUp, Ticker ticker, Sleeper sleeper) {
        this.rate = rate;
        this.warmUp = warmUp;
        this.ticker = ticker;
        this.sleeper = sleeper;
        this.pace = new Pace(exact(rate), TimeUnit.MICROSECONDS.convert(warmUp), now());
    }

    /** {@code permits} a second. */
    public static Pacer perSecond(long permits) {
        return of(permits, Duration.ofSeconds(1));
    }

    /** {@code permits} per {@code period}. */
    public static Pacer of(long permits, Duration period) {
        return new Pacer(rate(permits, period), Duration.ZERO, Ticker.system(), Pacer::park);
    }

    /** A pacer of the same rate that starts cold, and cools again while it stands idle. */
    public Pacer warmUp(Duration warmUp) {
        return new Pacer(currentRate(), warmUp, ticker, sleeper);
    }

    /** A pacer of the same rate and warm-up on a test's clock: a caller waits by advancing the clock. */
    public Pacer on(ManualClock clock) {
        return new Pacer(currentRate(), warmUp, clock, (micros, interruptibly) -> {
            clock.advance(micros(micros));
            return true;
        });
    }

    /**
     * Goes on at another rate. What was taken ahead stays taken: the next caller pays for the same number of permits, at
     * the new rate. Permits saved while idle stay saved, up to one second's worth. The warm-up takes the time that it
     * was given, and a pacer that is half warm stays half warm. A caller that waits already, or that was told by
     * {@link #reserve} how long to wait, keeps its time; at a faster rate, later callers may go before it.
     *
     * @throws IllegalArgumentException if this is no rate for a pacer; nothing changes then
     */
    public void change(long permits, Duration period) {
        Limit.TokenBucket next = rate(permits, period);
        lock.lock();
        try {
            pace.change(now(), exact(next));
            rate = next;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for one permit, and returns how long it waited. */
    public Duration acquire() {
        return acquire(1);
    }

    /** Waits for {@code permits}, and returns how long it waited. Interruption does not end the wait. */
    public Duration acquire(long permits) {
        long wait = reserve(permits, Long.MAX_VALUE);
        sleep(wait);
        return micros(wait);
    }

    /**
     * Waits for {@code permits}, and returns how long it waited. Interruption ends the wait. The permits are then given
     * back if nobody has taken any since and the rate is the same; else they stay taken, because those who came later
     * have been told a time that counts on them.
     *
     * @throws InterruptedException if the thread was interrupted before the call, which then takes nothing, or before
     *     the wait was over
     */
    public Duration acquireInterruptibly(long permits) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long wait;
        long reservation;
        lock.lock();
        try {
            wait = reserve(permits, Long.MAX_VALUE);
            reservation = pace.lastReservation();
        } finally {
            lock.unlock();
        }
        if (wait > 0 && !sleeper.sleep(wait, true)) {
            undo(reservation);
            throw new InterruptedException();
        }
        return micros(wait);
    }

    /** Takes {@code permits}, and returns how long to wait before using them: {@link #acquire} without a waiting thread. */
    public Duration reserve(long permits) {
        return micros(reserve(permits, Long.MAX_VALUE));
    }

    /** Takes one permit if that needs no wait; else takes nothing. */
    public boolean tryAcquire() {
        return tryAcquire(1);
    }

    /** Takes {@code permits} if that needs no wait; else takes nothing. */
    public boolean tryAcquire(long permits) {
        return tryAcquire(permits, Duration.ZERO);
    }

    /**
     * Waits for {@code permits} if that takes no longer than {@code maxWait}; else takes nothing. A negative
     * {@code maxWait}, such as the time left to a deadline that is over, is the same as zero: an idle pacer lets the
     * caller go at once.
     */
    public boolean tryAcquire(long permits, Duration maxWait) {
        long maxMicros = Math.max(0, TimeUnit.MICROSECONDS.convert(maxWait));
        long wait = reserve(permits, maxMicros);
        if (wait > maxMicros) {
            return false;
        }
        sleep(wait);
        return true;
    }

    private long reserve(long permits, long maxWait) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be 1 or more, was " + permits);
        }
        lock.lock();
        try {
            return pace.reserve(now(), permits, maxWait);
        } finally {
            lock.unlock();
        }
    }

    private void undo(long reservation) {
        lock.lock();
        try {
            pace.undo(now(), reservation);
        } finally {
            lock.unlock();
        }
    }

    private Limit.TokenBucket currentRate() {
        lock.lock();
        try {
            return rate;
        } finally {
            lock.unlock();
        }
    }

    private long now() {
        return Math.floorDiv(ticker.nanos(), 1000L);
    }

    private void sleep(long micros) {
        if (micros > 0) {
            sleeper.sleep(micros, false);
        }
    }

    private static Limit.TokenBucket rate(long permits, Duration period) {
        return new Limit.TokenBucket(permits, period, 1);
    }

    private static Rate exact(Limit.TokenBucket rate) {
        return Rate.of(rate.permits(), TimeUnit.MICROSECONDS.convert(rate.period()), rate.burst());
    }

    private static Duration micros(long micros) {
        return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1000);
    }

    private static boolean park(long micros, boolean interruptibly) {
        long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
        boolean interrupted = false;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            interrupted |= Thread.interrupted();
            if (interrupted && interruptibly) {
                return false;
            }
            LockSupport.parkNanos(left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return true;
    }
}
