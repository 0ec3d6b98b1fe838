package dev.sluice.simulate.replay;

import dev.sluice.rules.OnExceed;
import java.util.List;

/**
 * What one rule did to the requests of a log.
 *
 * @param name the name of the rule
 * @param summary its limits, key and conditions, on one line
 * @param action what happens to a request over its limit
 * @param matched how many requests it applied to
 * @param allowed how many of them it allowed, at once or after a wait
 * @param denied how many it denied
 * @param shed how many it denied at random because the limit was nearly used up
 * @param degraded how many it let go ahead with less
 * @param shadowed how many a shadow rule would have denied
 * @param waited how many it allowed after a wait
 * @param totalWaitMicros how long these waited together
 * @param longestWaitMicros how long one of them waited at most
 * @param keys how many keys there were
 * @param keysHit how many of them had a request stopped
 * @param complete whether all keys were kept: otherwise {@code keys} and {@code keysHit} may count some twice, and the
 *     counts of a key may lack some
 * @param top the keys that were hit most, the first first
 * @param worst the minutes in which most was stopped, the worst first
 * @param rates how many keys there are of each rate
 * @param series the counts over time
 */
public record RuleResult(
        String name,
        String summary,
        OnExceed.Action action,
        long matched,
        long allowed,
        long denied,
        long shed,
        long degraded,
        long shadowed,
        long waited,
        long totalWaitMicros,
        long longestWaitMicros,
        long keys,
        long keysHit,
        boolean complete,
        List<Key> top,
        List<Moment> worst,
        List<Rate> rates,
        Series series) {
    /**
     * A key.
     *
     * @param key the key; empty for a rule without one
     * @param requests how many requests it made
     * @param stopped how many of them were denied, shed, degraded, or would have been but for a shadow
     * @param waited how many of them waited
     * @param mostInMinute how many it made in the busiest minute
     */
    public record Key(String key, long requests, long stopped, long waited, long mostInMinute) {}

    /**
     * A minute.
     *
     * @param startMicros when it starts, in microseconds since 1970
     * @param stopped how many requests were stopped in it
     * @param key the key that was stopped most
     * @param ofKey how many requests of that key were stopped
     */
    public record Moment(long startMicros, long stopped, String key, long ofKey) {}

    /**
     * The keys of a rate.
     *
     * @param from the smallest number of requests in the busiest minute; the next rate starts at twice as many
     * @param keys how many keys there are
     * @param hit how many of them had a request stopped
     */
    public record Rate(long from, long keys, long hit) {}

    /** How many requests were denied, shed, degraded, or would have been but for a shadow. */
    public long stopped() {
        return denied + shed + degraded + shadowed;
    }
}
