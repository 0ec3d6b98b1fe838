package dev.sluice.simulate;

import dev.sluice.Limit;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The algorithms that can be compared, each with all it needs from a {@link Scenario}. */
public enum Algorithm {
    FIXED_WINDOW("a count that starts again each period, from the first request"),
    FIXED_WINDOW_ALIGNED("the same in windows aligned to the clock"),
    SLIDING_WINDOW("a count per slice; the oldest slice counts in full"),
    SLIDING_WINDOW_WEIGHTED("a count per slice; the oldest slice counts by its overlap"),
    SLIDING_LOG("the instant of every permit, exact"),
    TOKEN_BUCKET("tokens that refill at a constant rate"),
    LEAKY_BUCKET("water that drains at a constant rate; answers at once"),
    LEAKY_BUCKET_QUEUE("the same as a queue: admitted work starts at a constant rate"),
    CONCURRENCY("permits held at once, given back when the work is done");

    private final String summary;

    Algorithm(String summary) {
        this.summary = summary;
    }

    /** One line on how it counts. */
    public String summary() {
        return summary;
    }

    /** The name as users write it: {@code sliding-log}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Algorithm parse(String text) {
        for (Algorithm algorithm : values()) {
            if (algorithm.text().equals(text)) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException("algorithm must be all, or some of "
                + Arrays.stream(values()).map(Algorithm::text).collect(Collectors.joining(", ")) + "; was '" + text
                + "'");
    }

    Limit limit(Scenario s) {
        return switch (this) {
            case FIXED_WINDOW -> Limit.fixedWindow(s.permits(), s.period());
            case FIXED_WINDOW_ALIGNED ->
                Limit.fixedWindow(s.permits(), s.period()).aligned();
            case SLIDING_WINDOW -> Limit.slidingWindow(s.permits(), s.period(), s.slices());
            case SLIDING_WINDOW_WEIGHTED ->
                Limit.slidingWindow(s.permits(), s.period(), s.slices()).weighted();
            case SLIDING_LOG -> Limit.slidingLog(s.permits(), s.period());
            case TOKEN_BUCKET -> Limit.tokenBucket(s.permits(), s.period()).burst(s.burst());
            case LEAKY_BUCKET -> Limit.leakyBucket(s.permits(), s.period()).capacity(s.capacity());
            case LEAKY_BUCKET_QUEUE ->
                Limit.leakyBucket(s.permits(), s.period())
                        .capacity(s.capacity())
                        .queue();
            case CONCURRENCY -> Limit.concurrency(s.permits());
        };
    }
}
