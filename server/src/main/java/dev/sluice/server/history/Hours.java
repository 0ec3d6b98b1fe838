package dev.sluice.server.history;

import java.util.Map;
import java.util.TreeMap;

/** Good and bad requests by the hour since 1970, for the last 30 days. Not safe for several threads. */
final class Hours {
    static final int KEPT = 30 * 24;

    private final TreeMap<Long, long[]> hours = new TreeMap<>();

    void add(long hour, long good, long bad) {
        hours.merge(hour, new long[] {good, bad}, Slot::sum);
        while (hours.size() > KEPT) {
            hours.pollFirstEntry();
        }
    }

    /** Takes over what others know. An hour that Redis has lost stays as it was known here. */
    void atLeast(Map<Long, long[]> all) {
        all.forEach((hour, counts) -> {
            long[] known = hours.getOrDefault(hour, new long[2]);
            add(hour, Math.max(0, counts[Row.GOOD] - known[Row.GOOD]), Math.max(0, counts[Row.BAD] - known[Row.BAD]));
        });
    }

    long[] sum(long fromHour, long toHour) {
        long[] sum = {0, 0};
        for (long[] counts : hours.subMap(fromHour, true, toHour, true).values()) {
            sum = Slot.sum(sum, counts);
        }
        return sum;
    }
}
