package dev.sluice.spring.test;

import dev.sluice.ManualClock;
import dev.sluice.Scheduler;
import dev.sluice.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * A clock that stands still until the test moves it. It is the time of limits and of whoever waits for permits: a call that
 * waits goes on when the clock has been moved far enough, by another thread than its own.
 *
 * <pre>{@code
 * CompletableFuture<String> report = CompletableFuture.supplyAsync(shop::report);   // waits up to 2s
 * clock.awaitWaiters(1);
 * clock.advance(Duration.ofSeconds(1));
 * assertThat(report.join()).isEqualTo("report");
 * }</pre>
 *
 * <p>It starts at 1970-01-02T00:00:00Z, also with each test method unless {@link AutoConfigureSluice#reset} is false.
 */
public final class TestClock implements Ticker, Scheduler, InstantSource {
    /** Where the clock starts. */
    public static final Instant START = Instant.EPOCH.plus(1, ChronoUnit.DAYS);

    private static final long MAX_AWAIT_SECONDS = 10;

    private final ManualClock clock = new ManualClock();
    private volatile IntSupplier waiters = clock::pending;

    /** A clock at {@link #START}. */
    public TestClock() {
        clock.advance(Duration.between(Instant.EPOCH, START));
    }

    @Override
    public long nanos() {
        return clock.nanos();
    }

    @Override
    public Instant instant() {
        return Instant.EPOCH.plusNanos(clock.nanos());
    }

    /** Runs an action when the clock has been moved by the delay; without a delay at once, on another thread. */
    @Override
    public Runnable schedule(long delayMicros, Runnable action) {
        return delayMicros <= 0 ? Scheduler.system().schedule(0, action) : clock.schedule(delayMicros, action);
    }

    /**
     * Moves the clock forward. Those whose wait is over on the way go on, in order.
     *
     * @throws IllegalArgumentException if {@code time} is negative
     */
    public void advance(Duration time) {
        clock.advance(time);
    }

    /**
     * Sets the clock: for limits of calendar days and months, which start at midnight. To an instant ahead is as if it had
     * been advanced. To one in the past is as on a machine whose clock is set back: what was counted stays, and frees
     * nothing until the clock is where it was.
     *
     * @throws IllegalArgumentException if it is more than 292 years from 1970
     */
    public void set(Instant instant) {
        Duration ahead = Duration.between(instant(), instant);
        if (ahead.isNegative()) {
            clock.stepBack(ahead.negated());
        } else {
            clock.advance(ahead);
        }
    }

    /** How many calls that rules and annotations limit wait for the clock now. */
    public int waiters() {
        return waiters.getAsInt();
    }

    void waiters(IntSupplier waiters) {
        this.waiters = waiters;
    }

    /**
     * Blocks until at least so many calls of other threads wait for the clock.
     *
     * @throws AssertionError if that has not come about within ten seconds
     */
    public void awaitWaiters(int count) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_AWAIT_SECONDS);
        while (waiters() < count) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("expected " + count + " to wait for the clock, were " + waiters() + " after "
                        + MAX_AWAIT_SECONDS + " seconds");
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while others were to wait for the clock", e);
        }
    }
}
