package dev.sluice.server.history;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one server counted in a second or a minute, as servers send it to each other.
 *
 * @param time the number of the second or minute since 1970
 * @param names the rules; the first one has the row {@link Row#FIRST_RULE}
 */
record SharedSlot(Span span, long time, List<String> names, Slot slot) {
    enum Span {
        SECOND,
        MINUTE
    }

    static SharedSlot of(
            Span span, long time, List<String> names, Map<String, Integer> rows, Differences.Change counts) {
        Map<Integer, long[]> all = new LinkedHashMap<>();
        counts.rows().forEach((row, values) -> all.put(row.number(), values));
        counts.rules().forEach((name, values) -> {
            Integer row = rows.get(name);
            if (row != null) {
                all.put(row, values);
            }
        });
        return new SharedSlot(span, time, names, Slot.of(all));
    }

    /** The same with the rows that this server gives to rules. */
    Slot localized(RuleRows rules) {
        Map<Integer, long[]> counts = new LinkedHashMap<>();
        slot.forEach((values, row) -> {
            if (row < Row.values().length) {
                Slot.add(counts, row, values);
            } else if (row >= Row.FIRST_RULE && row - Row.FIRST_RULE < names.size()) {
                Slot.add(counts, rules.of(names.get(row - Row.FIRST_RULE)), values);
            }
        });
        return Slot.of(counts);
    }

    long service(int column) {
        long[] counts = slot.row(Row.SERVICE.number());
        return column < counts.length ? counts[column] : 0;
    }
}
