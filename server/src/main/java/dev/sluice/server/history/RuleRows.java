package dev.sluice.server.history;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which rule has which row, on this server. Their number is bounded: when there are as many names as rows, those that no
 * slot has any more make room, and if there are none, the rule is counted as {@link #OTHER}.
 */
final class RuleRows {
    static final String OTHER = "other";
    private static final int MAX_RULES = 4096;

    private final Map<String, Integer> rows = new HashMap<>();
    private final Map<Integer, String> names = new LinkedHashMap<>();
    private final Deque<Integer> free = new ArrayDeque<>();
    private final Supplier<BitSet> used;
    private final int maxRules;
    private int next = Row.FIRST_RULE;

    /** With what finds the rows that slots have. */
    RuleRows(Supplier<BitSet> used) {
        this(used, MAX_RULES);
    }

    RuleRows(Supplier<BitSet> used, int maxRules) {
        this.used = used;
        this.maxRules = maxRules;
        of(OTHER);
    }

    /** The row of a rule, which it is given if it has none. */
    int of(String rule) {
        Integer known = rows.get(rule);
        if (known != null) {
            return known;
        }
        if (rows.size() == maxRules) {
            release();
        }
        Integer row = free.poll();
        if (row == null) {
            if (next == Row.FIRST_RULE + maxRules) {
                return rows.getOrDefault(OTHER, Row.FIRST_RULE);
            }
            row = next++;
        }
        rows.put(rule, row);
        names.put(row, rule);
        return row;
    }

    @Nullable
    Integer find(String rule) {
        return rows.get(rule);
    }

    @Nullable
    String name(int row) {
        return names.get(row);
    }

    private void release() {
        BitSet inUse = used.get();
        inUse.set(rows.getOrDefault(OTHER, Row.FIRST_RULE));
        rows.entrySet().removeIf(entry -> {
            boolean gone = !inUse.get(entry.getValue());
            if (gone) {
                free.add(entry.getValue());
                names.remove(entry.getValue());
            }
            return gone;
        });
    }
}
