package dev.sluice.server.history;

import org.jspecify.annotations.Nullable;

/**
 * What the history needs to know.
 *
 * @param target the part of requests that should be decided as they should, such as 0.999
 * @param redis the URL of the Redis by which servers share their history; null for none
 * @param prefix the prefix of the names of its keys there
 */
public record HistorySettings(double target, @Nullable String redis, String prefix) {
    public static final double DEFAULT_TARGET = 0.999;
    /** Of this server alone, with a target of 99.9 %. */
    public static final HistorySettings DEFAULTS = new HistorySettings(DEFAULT_TARGET, null, "sluice");

    public HistorySettings {
        if (!(target > 0 && target < 1)) {
            throw new IllegalArgumentException(
                    "the availability target must be more than 0 % and less than 100 %, was " + 100 * target + " %");
        }
    }

    /** The same with another target. */
    public HistorySettings target(double other) {
        return new HistorySettings(other, redis, prefix);
    }
}
