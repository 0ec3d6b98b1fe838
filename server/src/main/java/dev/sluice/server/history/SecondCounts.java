package dev.sluice.server.history;

import dev.sluice.Decision;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** What follows from the differences of a second: sources, good and bad requests, and denials that only degraded. */
final class SecondCounts {
    /** The outcomes that add up to all decisions of a rule. */
    private static final Column[] OUTCOMES = {Column.ALLOWED, Column.DENIED, Column.SHADOWED, Column.SHED, Column.NEVER
    };

    private SecondCounts() {}

    /**
     * The counts of a second.
     *
     * @param usual the source of decisions that are not counted by source
     * @param underWay the most requests that were under way at once
     */
    static Differences.Change of(Differences.Change raw, Decision.Source usual, long underWay) {
        Map<Row, long[]> rows = new LinkedHashMap<>(raw.rows());
        Map<String, long[]> rules = new LinkedHashMap<>();
        long decisions = 0;
        for (Map.Entry<String, long[]> rule : raw.rules().entrySet()) {
            for (Column outcome : OUTCOMES) {
                decisions += History.at(rule.getValue(), outcome.index());
            }
            rules.put(rule.getKey(), withoutDegraded(rule.getValue()));
        }
        rows.put(Row.SOURCES, sources(rows.getOrDefault(Row.SOURCES, new long[0]), usual, decisions));
        rows.put(Row.SERVICE, service(rows.getOrDefault(Row.REQUESTS, new long[0])));
        rows.put(Row.UNDER_WAY, new long[] {underWay});
        return new Differences.Change(rows, rules);
    }

    /** A rule that degrades denies nothing. */
    private static long[] withoutDegraded(long[] counts) {
        long degraded = History.at(counts, Column.DEGRADED.index());
        if (degraded == 0) {
            return counts;
        }
        long[] less = counts.clone();
        less[Column.DENIED.index()] = Math.max(0, counts[Column.DENIED.index()] - degraded);
        return less;
    }

    private static long[] sources(long[] unusual, Decision.Source usual, long decisions) {
        long[] all = Arrays.copyOf(unusual, Row.SOURCE_COLUMNS.size());
        all[Row.SOURCE_COLUMNS.indexOf(usual)] =
                Math.max(0, decisions - Arrays.stream(unusual).sum());
        return all;
    }

    private static long[] service(long[] requests) {
        long all = History.at(requests, Column.ALLOWED.index())
                + History.at(requests, Column.DENIED.index())
                + History.at(requests, Column.UNMATCHED.index());
        long failed = History.at(requests, Column.FAILED.index());
        long errors = History.at(requests, Column.ERRORS.index());
        return new long[] {Math.max(0, all - failed), failed + errors};
    }
}
