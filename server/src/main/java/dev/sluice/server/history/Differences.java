package dev.sluice.server.history;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What counters have counted since they were last read. A counter that says less than before has begun anew, as that of a
 * rule does which was removed and added again.
 */
final class Differences {
    private Map<Row, long[]> rows = new HashMap<>();
    private Map<String, long[]> rules = new HashMap<>();

    /** What was counted, by row and by rule; what did not change is left out. */
    record Change(Map<Row, long[]> rows, Map<String, long[]> rules) {}

    /** The names of the rules that were read last. */
    List<String> names() {
        return List.copyOf(rules.keySet());
    }

    Change read(Counted counted) {
        Map<Row, long[]> rowsNow = new HashMap<>();
        Map<String, long[]> rulesNow = new LinkedHashMap<>();
        Change change = new Change(new LinkedHashMap<>(), new LinkedHashMap<>());
        counted.read(new Counted.Reader() {
            @Override
            public void row(Row row, long[] totals) {
                rowsNow.put(row, totals);
                put(change.rows(), row, totals, rows.get(row));
            }

            @Override
            public void rule(String name, long[] totals) {
                rulesNow.put(name, totals);
                put(change.rules(), name, totals, rules.get(name));
            }
        });
        rows = rowsNow;
        rules = rulesNow;
        return change;
    }

    private static <K> void put(Map<K, long[]> into, K key, long[] now, long @Nullable [] before) {
        long[] change = new long[now.length];
        boolean any = false;
        for (int i = 0; i < now.length; i++) {
            long was = before == null || i >= before.length || before[i] > now[i] ? 0 : before[i];
            change[i] = now[i] - was;
            any |= change[i] > 0;
        }
        if (any) {
            into.put(key, change);
        }
    }
}
