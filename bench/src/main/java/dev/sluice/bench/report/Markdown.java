package dev.sluice.bench.report;

import java.util.List;

/** Markdown that is as readable in a terminal. */
public final class Markdown {
    private final StringBuilder text = new StringBuilder();

    /** A table under its title: the first column to the left, the others to the right. */
    public void table(String title, List<String> head, List<List<String>> rows) {
        text.append("## ").append(title).append("\n\n");
        int[] widths = new int[head.size()];
        for (int column = 0; column < widths.length; column++) {
            widths[column] = Math.max(3, head.get(column).length());
            for (List<String> row : rows) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        line(head, widths);
        for (int column = 0; column < widths.length; column++) {
            String dashes = "-".repeat(widths[column] - 1);
            text.append(column == 0 ? "| -" + dashes : " | " + dashes + ":");
        }
        text.append(" |\n");
        rows.forEach(row -> line(row, widths));
        text.append('\n');
    }

    /** The targets that were measured, with how many of them were missed. */
    public void targets(List<Target> all) {
        List<Target> measured = all.stream()
                .filter(target -> target.verdict() != Target.Verdict.UNKNOWN)
                .toList();
        long missed = measured.stream()
                .filter(target -> target.verdict() == Target.Verdict.MISSES)
                .count();
        if (!measured.isEmpty()) {
            table(
                    "Targets: " + missed + " missed of " + measured.size() + " measured",
                    List.of("target", "measured", "verdict"),
                    measured.stream()
                            .map(target -> List.of(target.promise(), target.measured(), target.verdict().word))
                            .toList());
        }
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private void line(List<String> cells, int[] widths) {
        for (int column = 0; column < widths.length; column++) {
            String padding = " ".repeat(widths[column] - cells.get(column).length());
            text.append(column == 0 ? "| " + cells.get(0) + padding : " | " + padding + cells.get(column));
        }
        text.append(" |\n");
    }
}
