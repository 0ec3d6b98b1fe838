package dev.sluice.client;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds the retries of all calls that share it: a few at once, and over time a share of the calls.
 *
 * <p>Why: when a server is overloaded, most calls are refused. If each were sent four times, the server would get four times
 * the load, just then.
 *
 * <p>Why a hundredth is the unit: a call earns as many as the percentage says, a retry costs a hundred, and so all of it is
 * whole numbers.
 */
public final class RetryBudget {
    private static final int RETRY = 100;
    private static final int MAX_RETRIES = 1_000_000;

    private final int max;
    private final int percent;
    private final AtomicInteger hundredths;

    private RetryBudget(int retries, int percent) {
        this.max = retries * RETRY;
        this.percent = percent;
        this.hundredths = new AtomicInteger(max);
    }

    /** Ten retries at once, and over time one for ten calls. */
    public static RetryBudget standard() {
        return of(10, 10);
    }

    /**
     * A budget that is full at first.
     *
     * @param retries how many retries it is good for when it is full, from 0 to a million
     * @param percent how many retries a hundred calls earn, from 0 to 100
     */
    public static RetryBudget of(int retries, int percent) {
        if (retries < 0 || retries > MAX_RETRIES) {
            throw new IllegalArgumentException("retries must be from 0 to " + MAX_RETRIES + ", was " + retries);
        }
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("percent must be from 0 to 100, was " + percent);
        }
        return new RetryBudget(retries, percent);
    }

    /** A call is made. */
    void earn() {
        hundredths.getAndUpdate(now -> Math.min(max, now + percent));
    }

    /** Whether there is a retry left, which is taken then. */
    boolean take() {
        return hundredths.getAndUpdate(now -> now < RETRY ? now : now - RETRY) >= RETRY;
    }

    /** How many retries are left. */
    public int remaining() {
        return hundredths.get() / RETRY;
    }
}
