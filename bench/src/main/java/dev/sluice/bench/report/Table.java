package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A table as Markdown that reads well in a terminal too.
 *
 * @param textColumns how many columns, from the first, are text and so aligned to the left
 */
public record Table(String title, int textColumns, List<String> head, List<List<String>> rows) {
    /** A table whose first column names the rows. */
    public static <R> Columns<R> of(String title, String head, Function<R, String> name) {
        return new Columns<>(title, head, name);
    }

    /** The table of the targets that were measured, with how many of them were missed. */
    static Table of(List<Target> targets) {
        List<Target> measured = targets.stream()
                .filter(target -> target.verdict() != Target.Verdict.UNKNOWN)
                .toList();
        long missed = measured.stream()
                .filter(target -> target.verdict() == Target.Verdict.MISSES)
                .count();
        return of("Targets: " + missed + " missed of " + measured.size() + " measured", "target", Target::promise)
                .text("measured", Target::measured)
                .text("verdict", target -> target.verdict().word)
                .rows(measured);
    }

    /** The columns of a table, each with what it shows of a row. */
    public static final class Columns<R> {
        private final String title;
        private final List<String> head = new ArrayList<>();
        private final List<Function<R, String>> cells = new ArrayList<>();

        private Columns(String title, String head, Function<R, String> name) {
            this.title = title;
            text(head, name);
        }

        public Columns<R> text(String name, Function<R, String> cell) {
            head.add(name);
            cells.add(cell);
            return this;
        }

        public Columns<R> number(String name, String format, Function<R, Optional<Double>> figure) {
            return text(name, row -> figure.apply(row).map(format::formatted).orElse(""));
        }

        /** Two columns: the median, and the range. */
        public Columns<R> samples(String name, String format, Function<R, Optional<Samples>> samples) {
            return number(name, format, row -> samples.apply(row).map(Samples::median))
                    .text(
                            "min-max",
                            row -> samples.apply(row)
                                    .map(all -> (format + "-" + format).formatted(all.min(), all.max()))
                                    .orElse(""));
        }

        /** The table, without the rows of which nothing was measured. */
        public Table rows(List<R> rows) {
            List<List<String>> lines = rows.stream()
                    .map(row -> cells.stream().map(cell -> cell.apply(row)).toList())
                    .filter(line -> line.stream().skip(1).anyMatch(cell -> !cell.isEmpty()))
                    .toList();
            return new Table(title, 1, head, lines);
        }
    }

    /** The same with more columns aligned to the left. */
    public Table withTextColumns(int columns) {
        return new Table(title, columns, head, rows);
    }

    /** The table without its title. */
    public String grid() {
        int[] widths = new int[head.size()];
        for (int column = 0; column < widths.length; column++) {
            widths[column] = Math.max(3, head.get(column).length());
            for (List<String> row : rows) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        StringBuilder text = new StringBuilder();
        line(text, head, widths);
        for (int column = 0; column < widths.length; column++) {
            text.append("| ").append("-".repeat(widths[column] - 1)).append(column < textColumns ? "- " : ": ");
        }
        text.append("|\n");
        rows.forEach(row -> line(text, row, widths));
        return text.toString();
    }

    private void line(StringBuilder text, List<String> cells, int[] widths) {
        for (int column = 0; column < widths.length; column++) {
            String cell = cells.get(column);
            String padding = " ".repeat(widths[column] - cell.length());
            text.append("| ")
                    .append(column < textColumns ? cell + padding : padding + cell)
                    .append(' ');
        }
        text.append("|\n");
    }

    /** As a section of a page; empty if there are no rows. */
    @Override
    public String toString() {
        return rows.isEmpty() ? "" : "## " + title + "\n\n" + grid() + "\n";
    }
}
