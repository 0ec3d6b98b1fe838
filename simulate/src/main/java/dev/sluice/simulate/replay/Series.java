package dev.sluice.simulate.replay;

/**
 * Counts over time, in slots of equal width. It starts with slots of a second, and takes the next width that a clock has
 * (5 s, 15 s, 1 m and so on) whenever there are too many, so that it needs the same memory for an hour as for a year.
 */
public final class Series {
    private static final int MAX_SLOTS = 2048;
    private static final long SECOND = 1_000_000;
    private static final long DAY = 86_400 * SECOND;
    /** Each is a multiple of the one before. */
    private static final long[] WIDTHS = {
        5 * SECOND, 15 * SECOND, 60 * SECOND, 300 * SECOND, 900 * SECOND, 3600 * SECOND
    };

    private long startMicros = -1;
    private long widthMicros = SECOND;
    private int slots;
    /** The slot that was counted in last, and when it starts: most requests fall into it. */
    private int lastSlot;

    private long lastStartMicros = Long.MAX_VALUE;
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
        long intoLast = atMicros - lastStartMicros;
        if (intoLast >= 0 && intoLast < widthMicros) {
            return lastSlot;
        }
        if (startMicros < 0) {
            startMicros = Math.floorDiv(atMicros, SECOND) * SECOND;
        }
        while ((atMicros - startMicros) / widthMicros >= MAX_SLOTS) {
            widen(nextWidth());
        }
        int slot = (int) (Math.max(0, atMicros - startMicros) / widthMicros);
        slots = Math.max(slots, slot + 1);
        lastSlot = slot;
        lastStartMicros = startMicros + slot * widthMicros;
        return slot;
    }

    private long nextWidth() {
        for (long width : WIDTHS) {
            if (width > widthMicros) {
                return width;
            }
        }
        return widthMicros < DAY ? DAY : 2 * widthMicros;
    }

    /** Joins slots, which then start at a multiple of their width. */
    private void widen(long width) {
        long start = Math.floorDiv(startMicros, width) * width;
        for (long[] counts : new long[][] {requests, stopped, waited}) {
            long[] joined = new long[MAX_SLOTS];
            for (int i = 0; i < slots; i++) {
                joined[(int) ((startMicros + i * widthMicros - start) / width)] += counts[i];
            }
            System.arraycopy(joined, 0, counts, 0, MAX_SLOTS);
        }
        slots = slots == 0 ? 0 : (int) ((startMicros + (slots - 1) * widthMicros - start) / width) + 1;
        startMicros = start;
        widthMicros = width;
    }
}
