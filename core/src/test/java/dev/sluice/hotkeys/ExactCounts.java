package dev.sluice.hotkeys;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The counts of a sliding window, obviously right and as large as it likes. */
final class ExactCounts {
    private record Event(long nanos, String key, long count) {}

    private final long windowNanos;
    private final Deque<Event> events = new ArrayDeque<>();
    private final Map<String, Long> counts = new HashMap<>();
    private long latest;

    ExactCounts(long windowNanos, long nanos) {
        this.windowNanos = windowNanos;
        this.latest = nanos;
    }

    void record(long nanos, String key, long count) {
        read(nanos);
        if (count > 0) {
            events.add(new Event(latest, key, count));
            counts.merge(key, count, Long::sum);
        }
    }

    long count(String key) {
        return counts.getOrDefault(key, 0L);
    }

    /** The keys that came within the window. */
    Set<String> keys() {
        return counts.keySet();
    }

    /** Moves the clock; one that steps back has not moved. */
    void read(long nanos) {
        latest = Math.max(latest, nanos);
        while (!events.isEmpty() && latest - events.element().nanos >= windowNanos) {
            Event gone = events.remove();
            counts.merge(gone.key, -gone.count, Long::sum);
            counts.remove(gone.key, 0L);
        }
    }
}
