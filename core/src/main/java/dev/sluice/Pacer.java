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
 * <p>Safe for use by any number of threads; callers go in the order in which they asked.
 */
public final class Pacer {
    private final Limit.TokenBucket rate;
    private final Duration warmUp;
    private final Ticker ticker;
    private final Sleeper sleeper;
    private final Pace pace;
    private final ReentrantLock lock = new ReentrantLock();

    /** Waits. A test only moves its clock. */
    @FunctionalInterface
    interface Sleeper {
        void sleep(long micros);
    }

    private Pacer(Limit.TokenBucket rate, Duration warmUp, Ticker ticker, Sleeper sleeper) {
        this.rate = rate;
        this.warmUp = warmUp;
        this.ticker = ticker;
        this.sleeper = sleeper;
        this.pace = new Pace(
                Rate.of(rate.permits(), TimeUnit.MICROSECONDS.convert(rate.period()), rate.burst()),
                TimeUnit.MICROSECONDS.convert(warmUp),
                now());
    }

    /** {@code permits} a second. */
    public static Pacer perSecond(long permits) {
        return of(permits, Duration.ofSeconds(1));
    }

    /** {@code permits} per {@code period}. */
    public static Pacer of(long permits, Duration period) {
        Limit.TokenBucket rate = new Limit.TokenBucket(permits, period, 1);
        return new Pacer(rate, Duration.ZERO, Ticker.system(), Pacer::sleepThrough);
    }

    /** A pacer of the same rate that starts cold, and cools again while it stands idle. */
    public Pacer warmUp(Duration warmUp) {
        return new Pacer(rate, warmUp, ticker, sleeper);
    }

    /** A pacer of the same rate and warm-up on another clock. */
    Pacer on(Ticker ticker, Sleeper sleeper) {
        return new Pacer(rate, warmUp, ticker, sleeper);
    }

    /** Waits for one permit, and returns how long it waited. */
    public Duration acquire() {
        return acquire(1);
    }

    /** Waits for {@code permits}, and returns how long it waited. Interruption does not end the wait. */
    public Duration acquire(long permits) {
        Duration wait = reserve(permits);
        sleep(wait);
        return wait;
    }

    /** Takes {@code permits}, and returns how long to wait before using them: {@link #acquire} without a waiting thread. */
    public Duration reserve(long permits) {
        return micros(reserve(permits, Long.MAX_VALUE));
    }

    /** Waits for {@code permits} if that takes no longer than {@code maxWait}; else takes nothing. */
    public boolean tryAcquire(long permits, Duration maxWait) {
        long maxMicros = TimeUnit.MICROSECONDS.convert(maxWait);
        long wait = reserve(permits, maxMicros);
        if (wait > maxMicros) {
            return false;
        }
        sleep(micros(wait));
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

    private long now() {
        return Math.floorDiv(ticker.nanos(), 1000L);
    }

    private void sleep(Duration wait) {
        if (!wait.isZero()) {
            sleeper.sleep(TimeUnit.MICROSECONDS.convert(wait));
        }
    }

    private static Duration micros(long micros) {
        return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1000);
    }

    private static void sleepThrough(long micros) {
        long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
        boolean interrupted = false;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
