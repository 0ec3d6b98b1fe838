package dev.sluice.simulate.replay;

/**
 * Counts over time, in slots of equal width. It starts with slots of a second, and makes them twice as wide whenever there
 * are too many, so that it takes the same memory for an hour as for a year.
 */
public final class Series {
    private static final int MAX_SLOTS = 2048;
    private static final long SECOND = 1_000_000;

    private long startMicros = -1;
    private long widthMicros = SECOND;
    private int slots;
    private final long[] requests = new long[MAX_SLOTS];
    private final long[] stopped = new long[MAX_SLOTS];
    private final long[] waited = new long[MAX_SLOTS];

    Series() {}

    /** When the first slot starts, in microseconds since 1970; -1 if there is none. */
    public long startMicros() {
        return startMicros;
    }

    /** How wide a slot is. */
    public long widthMicros() {
        return widthMicros;
    }

    /** How many slots there are. */
    public int slots() {
        return slots;
    }

    /** How many requests came in a slot. */
    public long requests(int slot) {
        return requests[slot];
    }

    /** How many of them were denied, shed, degraded, or would have been but for a shadow. */
    public long stopped(int slot) {
        return stopped[slot];
    }

    /** How many of them waited. */
    public long waited(int slot) {
        return waited[slot];
    }

    void request(long atMicros) {
        requests[slot(atMicros)]++;
    }

    void stopped(long atMicros) {
        stopped[slot(atMicros)]++;
    }

    void waited(long atMicros) {
        waited[slot(atMicros)]++;
    }

    private int slot(long atMicros) {
        if (startMicros < 0) {
            startMicros = Math.floorDiv(atMicros, SECOND) * SECOND;
        }
        long slot = Math.max(0, atMicros - startMicros) / widthMicros;
        while (slot >= MAX_SLOTS) {
            widen();
            slot = (atMicros - startMicros) / widthMicros;
        }
        slots = Math.max(slots, (int) slot + 1);
        return (int) slot;
    }

    private void widen() {
        for (long[] counts : new long[][] {requests, stopped, waited}) {
            for (int i = 0; i < MAX_SLOTS; i++) {
                counts[i] = 2 * i < MAX_SLOTS ? counts[2 * i] + counts[2 * i + 1] : 0;
            }
        }
        widthMicros *= 2;
        slots = (slots + 1) / 2;
    }
}
