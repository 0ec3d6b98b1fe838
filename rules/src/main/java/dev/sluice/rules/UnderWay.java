package dev.sluice.rules;

import java.time.Duration;

/**
 * How many requests of a key may be under way at once, for a rule that is charged when it is known what became of a
 * request.
 *
 * <p>So many more than the limit may come through, at most: those that were let in before the limit was known to be used up.
 *
 * @param max the number of requests
 * @param maxWait how long another one waits for its place; zero for not at all
 */
public record UnderWay(int max, Duration maxWait) {
    /** The largest number of requests. */
    public static final int MAX = 10_000;

    /** Ten at once; others wait up to five seconds. */
    public static final UnderWay DEFAULT = new UnderWay(10, Duration.ofSeconds(5));

    public UnderWay {
        if (max < 1 || max > MAX) {
            throw new IllegalArgumentException("1 to " + MAX + " requests may be under way, was " + max);
        }
        if (maxWait.isNegative() || maxWait.compareTo(OnExceed.MAX_WAIT) > 0) {
            throw new IllegalArgumentException("a wait must be at most ten minutes, was " + maxWait);
        }
    }
}
