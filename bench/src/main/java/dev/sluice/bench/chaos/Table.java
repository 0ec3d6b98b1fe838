package dev.sluice.bench.chaos;

import dev.sluice.redis.servers.RedisBinary;
import java.util.List;

/** The rows as Markdown that is as readable in a terminal. */
final class Table {
    private static final List<String> HEAD = List.of(
            "fault",
            "client",
            "policy",
            "calls",
            "longest, ms (bound)",
            "thrown",
            "allowed / denied / local by policy",
            "given up on",
            "over by Redis (bound)",
            "over by policy (bound)",
            "fault, ms",
            "Redis again, ms",
            "policy until, ms");

    private static final int TEXT_COLUMNS = 3;

    private Table() {}

    /** What was measured on, the rows, and what their columns mean. */
    static String of(List<Row> rows, Effort effort, RedisBinary redis, Stalls stalls) {
        return """
                %s; timeout %d ms (the default is 50); %d keys with %d permits an hour each

                %s
                - longest: of all calls; bound: twice the timeout. This machine stood still for up to %d ms by itself, which is not held against a call.
                - thrown: exceptions that reached callers; none may.
                - by policy: calls decided without Redis. given up on: how often Redis was not asked for a while.
                - over: permits granted beyond the limit. By Redis: bounded by what a fault made it forget. By policy: local lets this process have the limit once more, allow sets no bound.
                - Redis again: from the end of the fault to the first decision by Redis. policy until: to the last one without.
                %s
                """.formatted(
                        redis,
                        effort.timeout().toMillis(),
                        Traffic.KEYS,
                        effort.permits(),
                        table(rows),
                        Row.millis(stalls.longestNanos()),
                        bounds(rows));
    }

    private static String bounds(List<Row> rows) {
        StringBuilder text = new StringBuilder();
        for (Forgets forgets : Forgets.values()) {
            List<String> faults = rows.stream()
                    .filter(row -> row.scene().forgets() == forgets)
                    .map(row -> row.scene().fault())
                    .distinct()
                    .toList();
            if (!faults.isEmpty() && forgets != Forgets.NOTHING) {
                text.append("- bound of ")
                        .append(String.join(", ", faults))
                        .append(": ")
                        .append(forgets.why)
                        .append('.')
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static String table(List<Row> rows) {
        List<List<String>> cells = rows.stream().map(Table::cells).toList();
        int[] widths = new int[HEAD.size()];
        for (int column = 0; column < widths.length; column++) {
            int at = column;
            widths[column] = cells.stream()
                    .mapToInt(row -> row.get(at).length())
                    .reduce(HEAD.get(column).length(), Math::max);
        }
        StringBuilder text = new StringBuilder();
        line(text, HEAD, widths);
        for (int column = 0; column < widths.length; column++) {
            String dashes = "-".repeat(widths[column]);
            text.append(column < TEXT_COLUMNS ? "| " + dashes + " " : "| " + dashes.substring(1) + ": ");
        }
        text.append("|\n");
        cells.forEach(row -> line(text, row, widths));
        return text.toString();
    }

    private static List<String> cells(Row row) {
        return List.of(
                row.scene().fault(),
                row.party().clientName(),
                row.party().policyName(),
                "%,d".formatted(row.calls()),
                Row.millis(row.longestNanos()) + " ("
                        + row.scene().effort().longestCall().toMillis() + ")",
                "" + row.thrown(),
                row.counters().allowedByPolicy() + " / " + row.counters().deniedByPolicy() + " / "
                        + row.counters().decidedLocally(),
                "" + row.counters().timesOpened(),
                row.overByRedis() + " (" + row.boundByRedis() + ")",
                row.overByPolicy() + " ("
                        + (row.boundByPolicy().isPresent() ? row.boundByPolicy().getAsLong() : "any") + ")",
                "" + Row.millis(row.scene().endedNanos() - row.scene().beganNanos()),
                row.normalAfterNanos().isPresent()
                        ? "" + Row.millis(row.normalAfterNanos().getAsLong())
                        : "never",
                "" + Row.millis(row.policyUntilNanos()));
    }

    private static void line(StringBuilder text, List<String> cells, int[] widths) {
        for (int column = 0; column < widths.length; column++) {
            String cell = cells.get(column);
            String padding = " ".repeat(widths[column] - cell.length());
            text.append("| ")
                    .append(column < TEXT_COLUMNS ? cell + padding : padding + cell)
                    .append(' ');
        }
        text.append("|\n");
    }
}
