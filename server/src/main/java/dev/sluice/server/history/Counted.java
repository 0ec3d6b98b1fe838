package dev.sluice.server.history;

/** Counters that only grow, which a {@link HistoryRecorder} reads once a second. */
@FunctionalInterface
public interface Counted {
    /** Takes what the counters say now. */
    interface Reader {
        void row(Row row, long[] totals);

        void rule(String name, long[] totals);
    }

    /** Reads all of them. */
    void read(Reader reader);
}
