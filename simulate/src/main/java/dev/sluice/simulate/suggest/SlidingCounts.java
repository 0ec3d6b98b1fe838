package dev.sluice.simulate.suggest;

import dev.sluice.simulate.suggest.traffic.Events;

/**
 * What limits do to the requests of one client.
 *
 * <p>A sliding log of L permits in a window W denies nothing if, and only if, no window of W has more than L requests. So
 * the largest count in any window is the smallest limit that leaves a client untouched. A request leaves the window exactly
 * W after it came.
 */
final class SlidingCounts {
    private SlidingCounts() {}

    /** The largest number of requests in any window. */
    static int most(Events events, long windowMicros) {
        int most = 0;
        int from = 0;
        for (int i = 0; i < events.count(); i++) {
            while (events.time(i) - events.time(from) >= windowMicros) {
                from++;
            }
            most = Math.max(most, i - from + 1);
        }
        return most;
    }

    /** How many requests a sliding log denies. */
    static int denied(Events events, long windowMicros, int permits) {
        if (events.count() <= permits) {
            return 0;
        }
        long[] admitted = new long[permits];
        int count = 0;
        for (int i = 0; i < events.count(); i++) {
            int oldest = count % permits;
            if (count < permits || events.time(i) - admitted[oldest] >= windowMicros) {
                admitted[oldest] = events.time(i);
                count++;
            }
        }
        return events.count() - count;
    }

    /**
     * The smallest bucket that denies nothing, if it refills by {@code permits} in a window: the largest debt, rounded up.
     */
    static long burst(Events events, long windowMicros, int permits) {
        // In units of a permit divided by the window, so that all numbers are whole.
        long debt = 0;
        long most = 0;
        for (int i = 0; i < events.count(); i++) {
            long elapsed = i == 0 ? 0 : Math.min(windowMicros, events.time(i) - events.time(i - 1));
            long refill = elapsed * permits;
            debt = Math.max(0, debt - refill) + windowMicros;
            most = Math.max(most, debt);
        }
        return (most + windowMicros - 1) / windowMicros;
    }
}
